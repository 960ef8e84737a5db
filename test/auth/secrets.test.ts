import { describe, test } from "vitest";
import {
  generateSecret,
  KIND_LETTERS,
  SECRET_PATTERN,
  secretHint,
  type SecretKind,
  secretKind,
} from "#auth/secrets.ts";
import { systemClock } from "#core/clock.ts";
import { systemIds } from "#core/ids.ts";

const ids = systemIds(systemClock);
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KINDS = Object.keys(KIND_LETTERS) as SecretKind[];

describe("the format of a secret", () => {
  test("B22 every change of a single character is detected in 1,000 random keys", ({ expect }) => {
    let undetected = 0;
    for (let count = 0; count < 1000; count++) {
      const secret = generateSecret(ids, "api_key");
      const position = 4 + Math.floor(Math.random() * 49);
      for (const character of ALPHABET) {
        if (
          character !== secret[position] &&
          secretKind(secret.slice(0, position) + character + secret.slice(position + 1)) !== null
        ) {
          undetected++;
        }
      }
    }
    expect(undetected).toBe(0);
  });

  test.for(KINDS)("B22 %s has its prefix, matches the scanner's pattern and is recognised", (kind, { expect }) => {
    const secret = generateSecret(ids, kind);
    expect(secret).toHaveLength(53);
    expect(secret).toMatch(SECRET_PATTERN);
    expect(secret.startsWith(`al${KIND_LETTERS[kind]}_`)).toBe(true);
    expect(secretKind(secret)).toBe(kind);
    for (const other of KINDS.filter((candidate) => candidate !== kind)) {
      expect(secretKind(`al${KIND_LETTERS[other]}${secret.slice(3)}`)).toBeNull();
    }
  });

  test("the smallest and the largest 256-bit value have the right length", ({ expect }) => {
    for (const byte of [0, 255]) {
      const secret = generateSecret({ random: (count) => new Uint8Array(count).fill(byte) }, "session");
      expect(secretKind(secret)).toBe("session");
    }
  });

  test("a hint shows the first eight and the last four characters", ({ expect }) => {
    expect(secretHint(generateSecret(ids, "api_key"))).toMatch(/^alk_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$/);
  });
});
