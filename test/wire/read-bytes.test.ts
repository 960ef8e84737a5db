import { expect, test } from "vitest";
import { decodeUtf8, readBytes } from "#wire/read-bytes.ts";

test.for([
  ["half a character at its end", [0x61, 0xe2, 0x82]],
  ["a byte that is never in UTF-8", [0xff]],
  ["half a byte order mark", [0xef, 0xbb]],
  ["a byte order mark and half a character", [0xef, 0xbb, 0xbf, 0xe2]],
] as const)("a text is read the same after one with %s", ([, invalid]) => {
  expect(decodeUtf8(new Uint8Array(invalid))).toBeNull();
  expect(decodeUtf8(new Uint8Array([0xac, 0x61]))).toBeNull();
  expect(decodeUtf8(new TextEncoder().encode("aé€😀"))).toBe("aé€😀");
  expect(decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toBe("a");
  expect(decodeUtf8(new Uint8Array())).toBe("");
});

const MIB = 1024 ** 2;

test.for([undefined, "5", String(MIB), "many"])(
  "a body of over 1 MiB is refused, with the Content-Length %s",
  async (length) => {
    const send = async (size: number) =>
      await readBytes(
        new Request("https://almanac.example", {
          method: "POST",
          body: new Uint8Array(size),
          ...(length !== undefined && { headers: { "content-length": length } }),
        }),
      );
    expect((await send(MIB))?.byteLength).toBe(MIB);
    expect(await send(MIB + 1)).toBeNull();
  },
);
