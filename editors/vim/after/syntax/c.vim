" Choreographies in C files: choreography(NAME, (ROLES), ...).

syntax region chorexBlock matchgroup=chorexWord start=/\<choreography\s*(/ end=/)/ fold contains=@chorexInside
syntax cluster chorexInside contains=chorexParens,chorexBraces,chorexControl,chorexWords,chorexDef,chorexRole,chorexDeliver,
      \chorexCall,cComment,cCommentL,cString,cCharacter,cNumber,cType,cStructure,cStorageClass,cConstant
syntax region chorexParens start=/(/ end=/)/ contained transparent contains=@chorexInside
syntax region chorexBraces start=/{/ end=/}/ contained transparent fold contains=@chorexInside

" What comes later counts: a word of the language before a parenthesis is no call.
syntax match chorexCall /\<\h\w*\ze\s*(/ contained
" Behind a dot, these are names.
syntax match chorexControl /\.\@1<!\<\%(if\|else\|switch\|case\|default\|while\|do\|for\|return\|break\|continue\|checkpoint\|rescue\|par\)\>/ contained
syntax match chorexWords /\.\@1<!\<\%(use\|durable\|notify\|within\|retry\|agree\)\>/ contained
syntax match chorexDef /\<def\>\s\+\h\w*/ contained contains=chorexDefWord
syntax match chorexDefWord /\<def\>/ contained
syntax match chorexRole /\<\u\w*\l\w*\>/ contained
syntax match chorexDeliver /\~\s*>/ contained

highlight default link chorexWord Keyword
highlight default link chorexControl Statement
highlight default link chorexWords Keyword
highlight default link chorexDef Function
highlight default link chorexDefWord Keyword
highlight default link chorexCall Function
highlight default link chorexRole Type
highlight default link chorexDeliver Operator
