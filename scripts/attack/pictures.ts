import type { Topic } from "./attack.ts";
import type { AttackedService } from "./attacked-service.ts";

const SIDE = 65_535;

/** Makes a file of a few bytes that claims a size of sixteen gigabytes as a bitmap. */
function pngBomb(side: number): Uint8Array {
  const png = Buffer.alloc(57);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(png);
  png.writeUInt32BE(side, 16);
  png.writeUInt32BE(side, 20);
  Buffer.from("0806000000", "hex").copy(png, 24);
  Buffer.from("0000000049454e44ae426082", "hex").copy(png, 33);
  return png.subarray(0, 45);
}

function gifBomb(): Uint8Array {
  return Buffer.from("474946383961ffffffff8000000000000000002c00000000ffffffff0002024401003b", "hex");
}

function webpBomb(): Uint8Array {
  const webp = Buffer.alloc(30);
  webp.write("RIFF");
  webp.writeUInt32LE(22, 4);
  webp.write("WEBPVP8X", 8);
  webp.writeUInt32LE(10, 16);
  webp.fill(0xff, 24, 30);
  return webp;
}

function jpegBomb(): Uint8Array {
  const header = Buffer.from("ffd8ffc0001108ffffffff03012200021101031101", "hex");
  return Buffer.concat([
    header,
    Buffer.from("ffda000c03010002110311003f00", "hex"),
    Buffer.alloc(20),
    Buffer.from("ffd9", "hex"),
  ]);
}

async function upload(
  service: AttackedService,
  key: string,
  contentType: string,
  body: Uint8Array,
  claimedBytes?: number,
) {
  const { json } = await service.prepare("POST", "/v1/media/uploads", {
    key,
    json: { filename: "a.bin", content_type: contentType, size_bytes: claimedBytes ?? body.byteLength },
  });
  const path = String(json.upload.url).slice(service.origin.length);
  return await service.send("PUT", path, { body, headers: { "content-type": contentType } });
}

export default {
  topic: "pictures",
  attacks: [
    {
      name: "pictures of four thousand megapixels in a few bytes",
      async run(service, log) {
        const { key } = await service.createUser();
        for (const [type, body] of [
          ["image/png", pngBomb(SIDE)],
          ["image/png", pngBomb(0xff_ff_ff_ff)],
          ["image/gif", gifBomb()],
          ["image/webp", webpBomb()],
          ["image/jpeg", jpegBomb()],
        ] as const) {
          log.expectStatus(type, await upload(service, key, type, body), 400);
        }
      },
    },
    {
      name: "files that are not what they say: a page, a script, an archive, more bytes than announced",
      async run(service, log) {
        const { key } = await service.createUser();
        const html = Buffer.from("<!doctype html><script>alert(1)</script>");
        const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
        const zip = Buffer.from("504b0506000000000000000000000000000000000000", "hex");
        for (const body of [html, svg, zip, Buffer.alloc(100), Buffer.from("GIF89a=1;alert(1)//")]) {
          log.expectStatus(String(body.subarray(0, 20)), await upload(service, key, "image/png", body), 400);
        }
        log.expectStatus(
          "more bytes than announced",
          await upload(service, key, "image/png", Buffer.alloc(5000), 10),
          400,
          413,
        );
        for (const size of [2 ** 40, -1, 0, 1.5]) {
          const json = { filename: "a.mp4", content_type: "video/mp4", size_bytes: size };
          log.expectStatus(`${size} bytes`, await service.send("POST", "/v1/media/uploads", { key, json }), 400);
        }
      },
    },
    {
      name: "an upload address with another id, another signature or a later expiry",
      async run(service, log) {
        const { key } = await service.createUser();
        const json = { filename: "a.png", content_type: "image/png", size_bytes: 45 };
        const { json: started } = await service.prepare("POST", "/v1/media/uploads", { key, json });
        const url = new URL(started.upload.url);
        const other = new URL(url);
        other.pathname = url.pathname.replace(/[0-9a-f]{12}\//, "111111111111/");
        const changed = [other];
        for (const [name, value] of url.searchParams) {
          const wrong = new URL(url);
          const first = value.startsWith("A") ? "B" : "A";
          wrong.searchParams.set(
            name,
            /^\d+$/.test(value) ? String(Number(value) + 1_000_000) : first + value.slice(1),
          );
          changed.push(wrong);
          const without = new URL(url);
          without.searchParams.delete(name);
          changed.push(without);
        }
        for (const { pathname, search } of changed) {
          log.expectStatus(pathname + search, await service.send("PUT", pathname + search, { body: pngBomb(10) }), 404);
        }
      },
    },
  ],
} satisfies Topic;
