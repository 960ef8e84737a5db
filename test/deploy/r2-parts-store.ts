import { createHash, randomUUID } from "node:crypto";
import { signedHeaders } from "../../scripts/backup/s3-signature.ts";
import { Content } from "./cloudflare-account.ts";

const MIN_PART_BYTES = 5 * 1024 * 1024;

interface PartsUpload {
  readonly key: string;
  readonly contentType: string;
  readonly parts: Map<number, Buffer>;
}

interface PartsStoreInput {
  readonly accountId: string;
  readonly bucket: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly objects: Map<string, Content>;
}

const md5 = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("hex");
const error = (status: number, code: string, message: string): Response =>
  new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`, { status });

/** R2's S3-compatible side, as far as uploads in parts need it. */
export class R2PartsStore {
  readonly #input: PartsStoreInput;
  readonly #uploads = new Map<string, PartsUpload>();

  constructor(input: PartsStoreInput) {
    this.#input = input;
  }

  get host(): string {
    return `${this.#input.accountId}.r2.cloudflarestorage.com`;
  }

  answer(method: string, url: URL, headers: Headers, body: Buffer): Response {
    if (!this.#isSigned(method, url, headers)) {
      return error(403, "SignatureDoesNotMatch", "The request signature we calculated does not match");
    }
    const prefix = `/${this.#input.bucket}/`;
    if (!url.pathname.startsWith(prefix)) {
      return error(404, "NoSuchBucket", "The specified bucket does not exist.");
    }
    const uploadId = url.searchParams.get("uploadId");
    if (method === "POST" && url.searchParams.has("uploads")) {
      const id = `${randomUUID()}+/=`;
      const contentType = headers.get("content-type") ?? "";
      this.#uploads.set(id, { key: url.pathname.slice(prefix.length), contentType, parts: new Map() });
      return new Response(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    const upload = this.#uploads.get(uploadId ?? "");
    if (upload === undefined) {
      return error(404, "NoSuchUpload", "The specified multipart upload does not exist.");
    }
    if (method === "PUT") {
      upload.parts.set(Number(url.searchParams.get("partNumber")), body);
      return new Response(null, { headers: { etag: `"${md5(body)}"` } });
    }
    return this.#complete(uploadId ?? "", upload, body.toString("utf8"));
  }

  #complete(id: string, { key, contentType, parts }: PartsUpload, xml: string): Response {
    const named = Array.from(
      xml.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"(\w+)"<\/ETag>/g),
      ([, nth, etag]) => ({
        bytes: parts.get(Number(nth)) ?? Buffer.alloc(0),
        etag,
      }),
    );
    if (named.length === 0 || named.some(({ bytes, etag }) => md5(bytes) !== etag)) {
      return error(400, "InvalidPart", "One or more of the specified parts could not be found.");
    }
    const [size = 0, ...others] = named.slice(0, -1).map(({ bytes }) => bytes.length);
    if (named.length > 1 && (size < MIN_PART_BYTES || others.some((one) => one !== size))) {
      return error(400, "InvalidPart", "All non-trailing parts must have the same length.");
    }
    this.#uploads.delete(id);
    this.#input.objects.set(key, new Content(Buffer.concat(named.map(({ bytes }) => bytes)), contentType));
    return new Response("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
  }

  #isSigned(method: string, url: URL, headers: Headers): boolean {
    const time = headers.get("x-amz-date") ?? "";
    const at = new Date(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    if (Number.isNaN(at.getTime())) {
      return false;
    }
    const content = headers.get("x-amz-content-sha256") ?? "";
    const expected = signedHeaders(this.#input.credentials, {
      method,
      url: new URL(`https://${this.host}${url.pathname}${url.search}`),
      headers: { "x-amz-content-sha256": content },
      region: "auto",
      at,
    });
    return headers.get("authorization") === expected["authorization"];
  }
}
