import { describe, expect, test } from "vitest";
import { MIN_SLOT_MS, PASSWORD_COST } from "#auth/passwords/password-cost.ts";
import { checkPassword, DUMMY_HASH, hashPassword } from "#auth/passwords/password-hash.ts";

/* Here, because the tests in the Workers runtime hash with a cheap cost. */

describe("the service hashes a password at full cost", () => {
  test("with 16 MiB and five passes, and derives a key four times a second at most", () => {
    expect(PASSWORD_COST).toEqual({ N: 16384, r: 8, p: 5 });
    expect(MIN_SLOT_MS).toBe(250);
  });

  test("a new hash and the hash of an unknown e-mail address say so", async () => {
    const ids = { random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)) };
    const hash = await hashPassword(ids, "correct horse battery staple");
    expect(hash).toMatch(/^scrypt\$16384\$8\$5\$/);
    expect(DUMMY_HASH).toBe("scrypt$16384$8$5$YWxtYW5hYy1kZWNveS1zYQ==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    expect(await checkPassword("correct horse battery staple", hash)).toEqual({ matches: true, outdated: false });
  });
});
