import { describe, test } from "vitest";
import { boundaryOf, MalformedForm, readMultipart } from "#dashboard/media/multipart.ts";

const encoder = new TextEncoder();

interface ReadPart {
  readonly name: string;
  readonly filename: string | null;
  readonly value: string;
}

/** Reads a whole form that arrives in chunks of `chunkBytes`, each overwritten when the next is read. */
async function readAll(form: Uint8Array, boundary: string, chunkBytes: number): Promise<ReadPart[]> {
  let offset = 0;
  let previous: Uint8Array | null = null;
  const reader = readMultipart(async () => {
    previous?.fill(0);
    if (offset >= form.length) {
      return null;
    }
    previous = form.slice(offset, offset + chunkBytes);
    offset += chunkBytes;
    return previous;
  }, boundary);
  const parts: ReadPart[] = [];
  for (let part = await reader.next(); part; part = await reader.next()) {
    const bytes: number[] = [];
    for (let chunk = await part.read(); chunk; chunk = await part.read()) {
      bytes.push(...chunk);
    }
    parts.push({
      name: part.name,
      filename: part.filename,
      value: new TextDecoder("latin1").decode(new Uint8Array(bytes)),
    });
  }
  return parts;
}

const field = (boundary: string, disposition: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: image/jpeg\r\n\r\n${value}\r\n`;

const TRICKY_VALUES = [
  "",
  "\r",
  "\r\n",
  "\r\n\r\n",
  "\r\n--",
  "--b0undary",
  "\r\n--b0undar",
  "\r\r\n--b0undar\r\n--b0undarx\r\n-",
  "--b0undary--",
  "plain",
  "\r\n--b0undar\r\r\r\n\r\n--b\r\n",
];

describe("a form is read alike however its bytes are cut", () => {
  test.for([1, 2, 3, 5, 7, 16, 31, 64, 1000])("in chunks of %i bytes", async (chunkBytes, { expect }) => {
    const boundary = "b0undary";
    const form = `${TRICKY_VALUES.map((value, index) => field(boundary, `name="file"; filename="${index}.jpg"`, value)).join("")}--${boundary}--\r\n`;
    expect(await readAll(encoder.encode(form), boundary, chunkBytes)).toEqual(
      TRICKY_VALUES.map((value, index) => ({ name: "file", filename: `${index}.jpg`, value })),
    );
  });

  test("as the platform's own FormData writes it, with hostile names", async ({ expect }) => {
    const names = ['a"b.jpg', "../../etc/passwd", "zeile\r\numbruch.png", "名前.jpg", 'x"; name="other', ""];
    const data = new FormData();
    for (const name of names) {
      data.append("file", new File(["bytes"], name));
    }
    data.append("note", "hello");
    const response = new Response(data);
    const boundary = boundaryOf(response.headers.get("content-type") ?? "");
    const parts = await readAll(new Uint8Array(await response.arrayBuffer()), boundary ?? "", 7);
    expect(parts.map(({ value }) => value)).toEqual([...names.map(() => "bytes"), "hello"]);
    expect(parts.map(({ name }) => name)).toEqual([...names.map(() => "file"), "note"]);
    expect(parts.map(({ filename }) => filename)).toEqual([...names.map((name) => name.replace("\r\n", " ")), null]);
  });

  test("what is not read of a part is skipped", async ({ expect }) => {
    const form = `${field("x", 'name="a"; filename="a"', "y".repeat(500))}${field("x", 'name="b"', "two")}--x--`;
    const bytes = encoder.encode(form);
    let offset = 0;
    const reader = readMultipart(async () => {
      const chunk = bytes.slice(offset, offset + 100);
      offset += 100;
      return chunk.length === 0 ? null : chunk;
    }, "x");
    const first = await reader.next();
    await first?.read();
    expect((await reader.next())?.name).toBe("b");
    expect(await reader.next()).toBeNull();
  });
});

describe("a body that is no complete form is refused", () => {
  test.for<[string, string]>([
    ["cut in a value", '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nabc'],
    ["cut in a header", "--x\r\nContent-Dispo"],
    ["cut in the last delimiter", '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nabc\r\n--x-'],
    ["empty", ""],
    ["with an endless header", `--x\r\nContent-Disposition: ${"a".repeat(10_000)}\r\n\r\n\r\n--x--`],
    ["with endless headers", `--x\r\n${"a: bbbbbbbbbbbbbbb\r\n".repeat(1000)}\r\n\r\n--x--`],
    ["with very many parts", `${field("x", 'name="a"', "1").repeat(1001)}--x--`],
    ["with another boundary", field("y", 'name="a"', "1")],
  ])("%s", async ([, form], { expect }) => {
    await expect(readAll(encoder.encode(form), "x", 64)).rejects.toThrow(MalformedForm);
  });
});

test("the boundary is read from the content type", ({ expect }) => {
  expect(boundaryOf("multipart/form-data; boundary=----WebKitFormBoundaryAbC")).toBe("----WebKitFormBoundaryAbC");
  expect(boundaryOf('multipart/form-data; charset=utf-8; boundary="with space"')).toBe("with space");
  expect(boundaryOf("application/x-www-form-urlencoded")).toBeNull();
  expect(boundaryOf("multipart/form-data")).toBeNull();
});
