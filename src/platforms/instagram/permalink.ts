import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Job, PlatformClient } from "#platforms/contract.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { PublishedMedia } from "./answers.ts";
import { graphUrl } from "./hosts.ts";

/** Null when it cannot be read: the post is published already, so a failure here must not fail it. */
export async function readPermalink(client: PlatformClient, job: Job, mediaId: string): Promise<string | null> {
  try {
    const url = withQuery(`${graphUrl(job.account)}/${encodeURIComponent(mediaId)}`, { fields: "id,permalink" });
    const response = await callPlatform(client, url, {
      headers: bearerHeader(job.account.loginToken),
      timeoutMs: 5000,
    });
    return (isOk(response) ? parseBody(PublishedMedia, response)?.permalink : undefined) ?? null;
  } catch {
    return null;
  }
}
