import { assert, nat, property, uint8Array } from "fast-check";
import { describe, test } from "vitest";
import { fromBase64, fromBase64Url, sha256Hex, toBase64, toBase64Url, toHex } from "#core/encoding.ts";

describe("encodings", () => {
  test("of any bytes, also of a part of a buffer, are read back unchanged", ({ expect }) => {
    assert(
      property(uint8Array({ maxLength: 100 }), nat(20), (whole, skip) => {
        const bytes = whole.subarray(skip);
        expect(fromBase64(toBase64(bytes))).toEqual(Uint8Array.from(bytes));
        expect(fromBase64Url(toBase64Url(bytes))).toEqual(Uint8Array.from(bytes));
        expect(toBase64Url(bytes)).toMatch(/^[\w-]*$/);
        expect(toHex(bytes)).toBe([...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
      }),
    );
  });

  test.for(["*", "a", "ä", "AAAA\u0000"])("%j is not base64", (text, { expect }) => {
    expect(() => fromBase64(text)).toThrow();
    expect(() => fromBase64Url(text)).toThrow();
  });

  test("known values", async ({ expect }) => {
    const bytes = Uint8Array.of(0xfb, 0xff, 0x00);
    expect([toBase64(bytes), toBase64Url(bytes), toHex(bytes)]).toEqual(["+/8A", "-_8A", "fbff00"]);
    expect(toBase64Url(Uint8Array.of(1))).toBe("AQ");
    expect(await sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });
});
