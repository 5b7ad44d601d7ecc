// selftest.c: `srp selftest` compares srp_math.c with the test vectors of RFC 5054, appendix B (1024 bits, SHA-1).

#include "srp_math.h"

#include "selftest.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

static const char k_hex[] = "7556AA045AEF2CDD07ABAF0F665C3E818913186F";
static const char x_hex[] = "94B7555AABE9127CC58CCF4993DB6CF84D16C124";
static const char v_hex[] =
    "7E273DE8696FFC4F4E337D05B4B375BEB0DDE1569E8FA00A9886D8129BADA1F1822223CA1A605B530E379BA4729FDC59"
    "F105B4787E5186F5C671085A1447B52A48CF1970B4FB6F8400BBF4CEBFBB168152E08AB5EA53D15C1AFF87B2B9DA6E04"
    "E058AD51CC72BFC9033B564E26480D78E955A5E29E7AB245DB2BE315E2099AFB";
static const char a_hex[] = "60975527035CF2AD1989806F0407210BC81EDC04E2762A56AFD529DDDA2D4393";
static const char b_hex[] = "E487CB59D31AC550471E81F00F6928E01DDA08E974A004F49E61F5D105284D20";
static const char A_hex[] =
    "61D5E490F6F1B79547B0704C436F523DD0E560F0C64115BB72557EC44352E8903211C04692272D8B2D1A5358A2CF1B6E"
    "0BFCF99F921530EC8E39356179EAE45E42BA92AEACED825171E1E8B9AF6D9C03E1327F44BE087EF06530E69F66615261"
    "EEF54073CA11CF5858F0EDFDFE15EFEAB349EF5D76988A3672FAC47B0769447B";
static const char B_hex[] =
    "BD0C61512C692C0CB6D041FA01BB152D4916A1E77AF46AE105393011BAF38964DC46A0670DD125B95A981652236F99D9"
    "B681CBF87837EC996C6DA04453728610D0C6DDB58B318885D7D82C7F8DEB75CE7BD4FBAA37089E6F9C6059F388838E7A"
    "00030B331EB76840910440B1B27AAEAEEB4012B7D7665238A8E3FB004B117B58";
static const char u_hex[] = "CE38B9593487DA98554ED47D70A7AE5F462EF019";
static const char S_hex[] =
    "B0DC82BABCF30674AE450C0287745E7990A3381F63B387AAF271A10D233861E359B48220F7C4693C9AE12B0A6F67809F"
    "0876E2D013800D6C41BB59B6D5979B5C00A172B4A2A5903A0BDCAF8A709585EB2AFAFA8F3499B200210DCC1F10EB3394"
    "3CD67FC88A2F39A4BE5BEC4EC0A3212DC346D7E474B29EDE8A469FFECA686E5A";
static const unsigned char salt[] = {0xBE, 0xB2, 0x53, 0x79, 0xD1, 0xA8, 0x58, 0x1E,
                                     0xB5, 0xA7, 0x27, 0x67, 0x3A, 0x24, 0x41, 0xEE};

static bool compare(const char *name, const BIGNUM *number, const char *expected)
{
    BIGNUM *right = NULL;
    bool good = BN_hex2bn(&right, expected) > 0 && BN_cmp(number, right) == 0;
    printf("%s: %s\n", name, good ? "as in RFC 5054" : "WRONG");
    BN_free(right);
    return good;
}

bool selftest(void)
{
    SrpGroup *group = srp_group_new(1024, EVP_sha1());
    BIGNUM *a = NULL, *b = NULL;
    BN_hex2bn(&a, a_hex);
    BN_hex2bn(&b, b_hex);
    BIGNUM *x = srp_x(group, salt, sizeof salt, "alice", "password123");
    BIGNUM *v = srp_power(group, x);
    BIGNUM *A = srp_power(group, a);
    BIGNUM *B = srp_B(group, v, b);
    BIGNUM *u = srp_u(group, A, B);
    BIGNUM *client_S = srp_client_S(group, B, a, x, u);
    BIGNUM *server_S = srp_server_S(group, A, b, v, u);

    bool good = compare("k", group->k, k_hex);
    good = compare("x", x, x_hex) && good;
    good = compare("v", v, v_hex) && good;
    good = compare("A", A, A_hex) && good;
    good = compare("B", B, B_hex) && good;
    good = compare("u", u, u_hex) && good;
    good = compare("client's S", client_S, S_hex) && good;
    good = compare("server's S", server_S, S_hex) && good;

    BIGNUM *all[] = {a, b, x, v, A, B, u, client_S, server_S};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        BN_clear_free(all[i]);
    srp_group_free(group);
    return good;
}
