// SPDX-License-Identifier: GPL-3.0-or-later
// The floor of any hook.
int main(void) { return 0; }
