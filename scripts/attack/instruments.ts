import type { Mutant } from "../crash/mutants.ts";

export const SCRYPT_LOG_LINE = "attack: scrypt runs";

/** What a copy of the source code tells in its log, so that an attack can count work instead of measuring time. */
export const INSTRUMENTS: Mutant["changes"] = [
  {
    file: "src/auth/users/password-hash.ts",
    from: `    scrypt(password.normalize("NFKC"), salt,`,
    to: `    console.log("${SCRYPT_LOG_LINE}");\n    scrypt(password.normalize("NFKC"), salt,`,
  },
];
