" Choreographies that several files share are C, too.
autocmd BufRead,BufNewFile *.chor setfiletype c
