# chorex certs: what it makes is what openssl understands; nothing is overwritten; mistakes are explained.
set -eu
. "$(dirname "$0")/common.bash"
chorex=$(dirname "$CHORCC")/chorex
[ -x "$chorex" ] || fail "chorex is not beside chorcc"

# Alone, chorex says why it has no such command.
mkdir alone && cp "$chorex" alone/
status 1 env PATH=/nonexistent alone/chorex certs --help
contains messages "OpenSSL 3"
[ -x "$(dirname "$CHORCC")/chorex-certs" ] || { echo "chorex-certs is not built here"; exit 0; }

# ---- an authority ----
umask 000
"$chorex" certs init ca >output
contains output "ca/ca.pem"
contains output "chorex certs node NAME"
[ "$(stat -c %a ca/ca.key)" = 600 ] || fail "others may read the authority's key"
[ "$(stat -c %a ca/ca.pem)" = 644 ] || fail "others may not read the authority's certificate, or may write it"
openssl x509 -in ca/ca.pem -noout -text >text
contains text "CA:TRUE, pathlen:0"
contains text "NIST CURVE: P-256"
contains text "Certificate Sign, CRL Sign"
openssl verify -x509_strict -CAfile ca/ca.pem ca/ca.pem >output || fail "openssl does not accept the authority"

cp ca/ca.key before
status 1 "$chorex" certs init ca
contains messages "already"
cmp before ca/ca.key || fail "an authority was overwritten"
mv ca/ca.pem away
status 1 "$chorex" certs init ca
cmp before ca/ca.key || fail "an authority's key was overwritten"
mv away ca/ca.pem

# ---- a node ----
"$chorex" certs node shop-1 --roles 'bookseller/Seller,*/Monitor' --roles 'kv/*' --dns shop.example.org --dns shop2 \
    --ip 192.0.2.7 --ip 2001:db8::7 --days 30 --dir ca >output
contains output "which may play bookseller/Seller, */Monitor, kv/*"
[ "$(stat -c %a ca/shop-1.key)" = 600 ] || fail "others may read the node's key"
for purpose in sslserver sslclient; do
    openssl verify -x509_strict -purpose $purpose -CAfile ca/ca.pem ca/shop-1.pem >output || fail "no good as $purpose"
done
openssl x509 -in ca/shop-1.pem -noout -text >text
contains text "Subject: CN = shop-1"
contains text "URI:chorex:node/shop-1, URI:chorex:role/bookseller/Seller, URI:chorex:role/*/Monitor, URI:chorex:role/kv/*"
contains text "DNS:shop.example.org, DNS:shop2, IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:7"
contains text "CA:FALSE"
openssl x509 -in ca/shop-1.pem -noout -checkend $((29 * 86400)) >output || fail "it is valid for less than 29 days"
! openssl x509 -in ca/shop-1.pem -noout -checkend $((31 * 86400)) >output || fail "it is valid for more than 31 days"
[ "$(openssl pkey -in ca/shop-1.key -pubout)" = "$(openssl x509 -in ca/shop-1.pem -noout -pubkey)" ] || fail "the key is another"

cp ca/shop-1.pem before
status 1 "$chorex" certs node shop-1 --roles a/B --dir ca
contains messages "--replace"
cmp before ca/shop-1.pem || fail "a certificate was overwritten"
"$chorex" certs node shop-1 --roles a/B --dir ca --replace >output
! cmp -s before ca/shop-1.pem || fail "--replace has replaced nothing"
openssl verify -CAfile ca/ca.pem ca/shop-1.pem >output || fail "the replacement is not accepted"

# Not for longer than the authority.
"$chorex" certs init brief --days 10 --name "Brief Authority" >output
(cd brief && "$chorex" certs node x --roles a/B >output)
[ "$(openssl x509 -in brief/x.pem -noout -enddate)" = "$(openssl x509 -in brief/ca.pem -noout -enddate)" ] ||
    fail "it is valid for longer than its authority"
! openssl verify -CAfile ca/ca.pem brief/x.pem >output 2>&1 || fail "another authority's certificate is accepted"

# ---- in plain English ----
"$chorex" certs node full --roles 'bookseller/Seller,bookseller/*,*/Monitor' --dns h --ip ::1 --dir ca >output
"$chorex" certs show ca/full.pem >shown
contains shown "Node:         full"
contains shown "May play:     Seller of bookseller"
contains shown "every role of bookseller"
contains shown "Monitor of every choreography"
contains shown "Host:         h, ::1"
contains shown "(90 days left)"
contains shown "Signed by:    chorex authority"
contains shown "$(openssl x509 -in ca/full.pem -noout -fingerprint -sha256 | sed 's/.*=//')"
"$chorex" certs show brief/ca.pem >shown
contains shown "Authority:    Brief Authority"
contains shown "(itself)"
# One that others have made, expired, with characters for the terminal in its name.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.pem -days 1 \
    -subj "/CN=$(printf 'a\033[31mb')" -utf8 2>/dev/null
"$chorex" certs show other.pem >shown
contains shown "a?[31mb"
mkdir -p demo && : >demo/index && echo 01 >demo/serial
openssl req -new -key ca/full.key -subj /CN=old -out old.csr 2>/dev/null
printf '[ca]\ndefault_ca=c\n[c]\nnew_certs_dir=demo\ndatabase=demo/index\nserial=demo/serial\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n' >demo/conf
openssl ca -config demo/conf -batch -notext -cert ca/ca.pem -keyfile ca/ca.key -in old.csr -out old.pem \
    -startdate 20200101000000Z -enddate 20210101000000Z 2>/dev/null
"$chorex" certs show old.pem >shown
contains shown "2021-01-01"
contains shown "EXPIRED"

# ---- mistakes ----
status 2 "$chorex" certs
contains messages "Usage"
status 2 "$chorex" certs nonsense
contains messages "'nonsense'"
status 2 "$chorex" certs init
status 2 "$chorex" certs init a b
status 2 "$chorex" certs init a --days 0
contains messages "--days"
status 2 "$chorex" certs node
for name in a/b .. '' ca -x "$(printf 'a%.0s' $(seq 65))" 'a b'; do
    status 2 "$chorex" certs node "$name" --roles a/B --dir ca
done
for role in Seller a/ /B a/B/C a-b/C 'a/B,' 1a/B a/B,URI:x; do
    status 2 "$chorex" certs node wrong --roles "$role" --dir ca
    [ ! -e ca/wrong.pem ] || fail "--roles $role was accepted"
done
status 2 "$chorex" certs node wrong --roles a/B --dns 'x,URI:chorex:role/*/*' --dir ca
for name in a..b .a a. -a a- 1.2.3.4 '' a_b..c "$(printf '%064d' 0)a"; do
    status 2 "$chorex" certs node wrong --roles a/B --dns "$name" --dir ca
done
status 2 "$chorex" certs init other --name "$(printf 'two\nlines')"
status 2 "$chorex" certs node wrong --roles a/B --ip 1.2.3 --dir ca
status 2 "$chorex" certs node wrong --roles a/B --days 9999999 --dir ca
status 2 "$chorex" certs node wrong --roles
contains messages "'--roles' needs a value"
status 2 "$chorex" certs node wrong --rolls a/B
contains messages "--rolls"
status 1 "$chorex" certs node wrong --roles a/B --dir nowhere
contains messages "chorex certs init nowhere"
status 1 "$chorex" certs show nowhere.pem
contains messages "nowhere.pem"
status 1 "$chorex" certs show ca/ca.key
contains messages "not a certificate"
cp brief/ca.key swapped.key && mkdir swapped && cp ca/ca.pem swapped/ && cp brief/ca.key swapped/
status 1 "$chorex" certs node wrong --roles a/B --dir swapped
contains messages "different authorities"
mkdir expired && cp old.pem expired/ca.pem && cp ca/full.key expired/ca.key
status 1 "$chorex" certs node wrong --roles a/B --dir expired
contains messages "has expired"

# A full disk leaves nothing behind.
(trap '' XFSZ; ulimit -f 0; "$chorex" certs node full-disk --roles a/B --dir ca >/dev/null 2>&1) && fail "nothing could be written"
[ -z "$(ls ca | grep -e full-disk -e new)" ] || fail "a full disk leaves $(ls ca)"
"$chorex" certs --help >output
contains output "--replace"
"$chorex" certs node --help >output
"$chorex" certs --version | grep -q '^chorex-certs .*[0-9]' || fail "version"
