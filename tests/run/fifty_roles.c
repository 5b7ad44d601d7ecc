// Fifty roles in a chain: each adds one and passes the number on.
// expect: 149
#include <chorex.h>
#include <stdio.h>

choreography(fifty, (R0, R1, R2, R3, R4, R5, R6, R7, R8, R9,
    R10, R11, R12, R13, R14, R15, R16, R17, R18, R19,
    R20, R21, R22, R23, R24, R25, R26, R27, R28, R29,
    R30, R31, R32, R33, R34, R35, R36, R37, R38, R39,
    R40, R41, R42, R43, R44, R45, R46, R47, R48, R49),
    def run(R0.int x0) -> R49.int {
        R0.(x0 + 1) ~> R1.x1;
        R1.(x1 + 1) ~> R2.x2;
        R2.(x2 + 1) ~> R3.x3;
        R3.(x3 + 1) ~> R4.x4;
        R4.(x4 + 1) ~> R5.x5;
        R5.(x5 + 1) ~> R6.x6;
        R6.(x6 + 1) ~> R7.x7;
        R7.(x7 + 1) ~> R8.x8;
        R8.(x8 + 1) ~> R9.x9;
        R9.(x9 + 1) ~> R10.x10;
        R10.(x10 + 1) ~> R11.x11;
        R11.(x11 + 1) ~> R12.x12;
        R12.(x12 + 1) ~> R13.x13;
        R13.(x13 + 1) ~> R14.x14;
        R14.(x14 + 1) ~> R15.x15;
        R15.(x15 + 1) ~> R16.x16;
        R16.(x16 + 1) ~> R17.x17;
        R17.(x17 + 1) ~> R18.x18;
        R18.(x18 + 1) ~> R19.x19;
        R19.(x19 + 1) ~> R20.x20;
        R20.(x20 + 1) ~> R21.x21;
        R21.(x21 + 1) ~> R22.x22;
        R22.(x22 + 1) ~> R23.x23;
        R23.(x23 + 1) ~> R24.x24;
        R24.(x24 + 1) ~> R25.x25;
        R25.(x25 + 1) ~> R26.x26;
        R26.(x26 + 1) ~> R27.x27;
        R27.(x27 + 1) ~> R28.x28;
        R28.(x28 + 1) ~> R29.x29;
        R29.(x29 + 1) ~> R30.x30;
        R30.(x30 + 1) ~> R31.x31;
        R31.(x31 + 1) ~> R32.x32;
        R32.(x32 + 1) ~> R33.x33;
        R33.(x33 + 1) ~> R34.x34;
        R34.(x34 + 1) ~> R35.x35;
        R35.(x35 + 1) ~> R36.x36;
        R36.(x36 + 1) ~> R37.x37;
        R37.(x37 + 1) ~> R38.x38;
        R38.(x38 + 1) ~> R39.x39;
        R39.(x39 + 1) ~> R40.x40;
        R40.(x40 + 1) ~> R41.x41;
        R41.(x41 + 1) ~> R42.x42;
        R42.(x42 + 1) ~> R43.x43;
        R43.(x43 + 1) ~> R44.x44;
        R44.(x44 + 1) ~> R45.x45;
        R45.(x45 + 1) ~> R46.x46;
        R46.(x46 + 1) ~> R47.x47;
        R47.(x47 + 1) ~> R48.x48;
        R48.(x48 + 1) ~> R49.x49;
        return R49.x49;
    }
)

#include "fifty.R0.chor.h"
#include "fifty.R1.chor.h"
#include "fifty.R2.chor.h"
#include "fifty.R3.chor.h"
#include "fifty.R4.chor.h"
#include "fifty.R5.chor.h"
#include "fifty.R6.chor.h"
#include "fifty.R7.chor.h"
#include "fifty.R8.chor.h"
#include "fifty.R9.chor.h"
#include "fifty.R10.chor.h"
#include "fifty.R11.chor.h"
#include "fifty.R12.chor.h"
#include "fifty.R13.chor.h"
#include "fifty.R14.chor.h"
#include "fifty.R15.chor.h"
#include "fifty.R16.chor.h"
#include "fifty.R17.chor.h"
#include "fifty.R18.chor.h"
#include "fifty.R19.chor.h"
#include "fifty.R20.chor.h"
#include "fifty.R21.chor.h"
#include "fifty.R22.chor.h"
#include "fifty.R23.chor.h"
#include "fifty.R24.chor.h"
#include "fifty.R25.chor.h"
#include "fifty.R26.chor.h"
#include "fifty.R27.chor.h"
#include "fifty.R28.chor.h"
#include "fifty.R29.chor.h"
#include "fifty.R30.chor.h"
#include "fifty.R31.chor.h"
#include "fifty.R32.chor.h"
#include "fifty.R33.chor.h"
#include "fifty.R34.chor.h"
#include "fifty.R35.chor.h"
#include "fifty.R36.chor.h"
#include "fifty.R37.chor.h"
#include "fifty.R38.chor.h"
#include "fifty.R39.chor.h"
#include "fifty.R40.chor.h"
#include "fifty.R41.chor.h"
#include "fifty.R42.chor.h"
#include "fifty.R43.chor.h"
#include "fifty.R44.chor.h"
#include "fifty.R45.chor.h"
#include "fifty.R46.chor.h"
#include "fifty.R47.chor.h"
#include "fifty.R48.chor.h"
#include "fifty.R49.chor.h"

int main(void)
{
    struct fifty_run_result r;
    if (fifty_run(&r, NULL, 100) != CHX_OK)
        return 1;
    printf("%d\n", r.R49);
    return 0;
}
