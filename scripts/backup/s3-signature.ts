import { createHash, createHmac } from "node:crypto";
import type { S3Credentials } from "../deploy/cloudflare.ts";

export interface S3Request {
  readonly method: string;
  /** The URL, with a path and a query that need no further escaping. */
  readonly url: URL;
  /** The headers, which are all signed together with the host. */
  readonly headers: Readonly<Record<string, string>>;
  readonly region: string;
  readonly at: Date;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Signs a request with AWS's Signature Version 4, which R2 requires. */
export function signedHeaders(
  { accessKeyId, secretAccessKey }: S3Credentials,
  { method, url, headers, region, at }: S3Request,
): Record<string, string> {
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const all: Record<string, string> = { ...headers, host: url.host, "x-amz-date": time };
  const names = Object.keys(all).toSorted();
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join("&");
  const canonical = [
    method,
    url.pathname,
    query,
    ...names.map((name) => `${name}:${all[name]}`),
    "",
    names.join(";"),
    all["x-amz-content-sha256"],
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [region, "s3", "aws4_request"].reduce<Buffer>(hmac, hmac(`AWS4${secretAccessKey}`, day));
  const signature = hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")).toString("hex");
  // Leave the host out, because `fetch` sets it itself.
  const { host: _, ...sent } = all;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope},SignedHeaders=${names.join(";")},Signature=${signature}`,
  };
}
