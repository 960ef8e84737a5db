import { describe, test } from "vitest";
import { isSealedWithOldKey, seal, SealingError, unseal } from "#core/aes-gcm.ts";
import { fromBase64, toBase64 } from "#core/encoding.ts";
import { systemClock } from "#core/clock.ts";
import { systemIds } from "#core/ids.ts";

const ids = systemIds(systemClock);
const key = (fill: number) => toBase64(new Uint8Array(32).fill(fill));
const keys = (keysById: Record<string, string>, tokenKeyId: string) => ({
  tokenKeys: JSON.stringify(keysById),
  tokenKeyId,
});
const first = keys({ k1: key(1) }, "k1");
const rotated = keys({ k1: key(1), k2: key(2) }, "k2");

describe("sealing", () => {
  test("a sealed text can be unsealed, contains its key id and not the plaintext", async ({ expect }) => {
    const sealed = await seal(first, ids, "connection-1", "the token");
    expect(sealed).toMatch(/^v1\.k1\.[\w-]{16}\.[\w-]+$/);
    expect(sealed).not.toContain("the token");
    expect(await unseal(first, "connection-1", sealed)).toBe("the token");
  });

  test("the AES key is derived: the key of the operator itself cannot unseal", async ({ expect }) => {
    const [, , iv = "", ciphertext = ""] = (await seal(first, ids, "c", "token")).split(".");
    const operatorKey = await crypto.subtle.importKey("raw", new Uint8Array(32).fill(1), "AES-GCM", false, ["decrypt"]);
    const bytes = (text: string) => fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
    const additionalData = new TextEncoder().encode("c");
    await expect(
      crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes(iv), additionalData }, operatorKey, bytes(ciphertext)),
    ).rejects.toThrow();
  });

  test("the same text is never sealed to the same result", async ({ expect }) => {
    expect(await seal(first, ids, "c", "token")).not.toBe(await seal(first, ids, "c", "token"));
  });

  test("after a key rotation old texts can be unsealed and new ones use the new key", async ({ expect }) => {
    const old = await seal(first, ids, "c", "token");
    const fresh = await seal(rotated, ids, "c", "token");
    expect(await unseal(rotated, "c", old)).toBe("token");
    expect(fresh.split(".")[1]).toBe("k2");
    expect([isSealedWithOldKey(rotated, old), isSealedWithOldKey(rotated, fresh)]).toEqual([true, false]);
  });

  test("a text moved to another row cannot be unsealed", async ({ expect }) => {
    const sealed = await seal(first, ids, "mine", "token");
    await expect(unseal(first, "theirs", sealed)).rejects.toThrow(new SealingError("damaged"));
  });

  test("a removed key is reported as unknown", async ({ expect }) => {
    const sealed = await seal(first, ids, "c", "token");
    await expect(unseal(keys({ k2: key(2) }, "k2"), "c", sealed)).rejects.toThrow(new SealingError("key_unknown"));
  });

  test.for([
    "",
    "v1",
    "v2.k1.aaaa.bbbb",
    "v1.k1.****.bbbb",
    "v1.k1.AAAAAAAAAAAAAAAA.AAAA",
    "v1.k1.a.b.c",
    "v1.__proto__.AAAA.AAAA",
  ])("%j is refused", async (sealed, { expect }) => {
    await expect(unseal(first, "c", sealed)).rejects.toThrow(SealingError);
  });

  test.for([
    ["not json", "k1"],
    ["[]", "k1"],
    ["null", "k1"],
    ['{"k1": 5}', "k1"],
    ['{"k1": "c2hvcnQ="}', "k1"],
    ['{"k.1": "x"}', "k.1"],
  ] as const)("invalid keys %s are refused", async ([tokenKeys, tokenKeyId], { expect }) => {
    await expect(seal({ tokenKeys, tokenKeyId }, ids, "c", "token")).rejects.toThrow(SealingError);
  });
});
