import { describe, test } from "vitest";
import {
  mintSecret,
  SECRET_LETTERS,
  SECRET_PATTERN,
  secretHint,
  type SecretKind,
  secretKind,
} from "#auth/secret-format.ts";
import { systemClock } from "#core/clock.ts";
import { systemIds } from "#core/ids.ts";

const ids = systemIds(systemClock);
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KINDS = Object.keys(SECRET_LETTERS) as SecretKind[];

describe("the shape of a secret", () => {
  test("B22 every change of a single character is noticed in 1,000 random keys", ({ expect }) => {
    let missed = 0;
    for (let count = 0; count < 1000; count++) {
      const secret = mintSecret(ids, "api_key");
      const at = 4 + Math.floor(Math.random() * 49);
      for (const character of ALPHABET) {
        if (character !== secret[at] && secretKind(secret.slice(0, at) + character + secret.slice(at + 1)) !== null) {
          missed++;
        }
      }
    }
    expect(missed).toBe(0);
  });

  test.for(KINDS)("B22 %s has its prefix, matches the scanner's pattern and is recognised", (kind, { expect }) => {
    const secret = mintSecret(ids, kind);
    expect(secret).toHaveLength(53);
    expect(secret).toMatch(SECRET_PATTERN);
    expect(secret.startsWith(`al${SECRET_LETTERS[kind]}_`)).toBe(true);
    expect(secretKind(secret)).toBe(kind);
    for (const other of KINDS.filter((word) => word !== kind)) {
      expect(secretKind(`al${SECRET_LETTERS[other]}${secret.slice(3)}`)).toBeNull();
    }
  });

  test("the extremes of 256 bits fit", ({ expect }) => {
    for (const byte of [0, 255]) {
      const secret = mintSecret({ random: (count) => new Uint8Array(count).fill(byte) }, "session");
      expect(secretKind(secret)).toBe("session");
    }
  });

  test("a hint shows eight characters and four", ({ expect }) => {
    expect(secretHint(mintSecret(ids, "api_key"))).toMatch(/^alk_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$/);
  });
});
