import { call, isOk, read } from "#platforms/answer.ts";
import type { Job, PlatformClient } from "#platforms/contract.ts";
import { bearer, withQuery } from "#platforms/form.ts";
import { Published } from "./answers.ts";
import { graphOf } from "./hosts.ts";

/** The post is public by now, and this read has failed for posts that were: it never fails one. */
export async function permalink(client: PlatformClient, job: Job, mediaId: string): Promise<string | null> {
  try {
    const url = withQuery(`${graphOf(job.account)}/${encodeURIComponent(mediaId)}`, { fields: "id,permalink" });
    const answer = await call(client, url, { headers: bearer(job.account.loginToken), timeoutMs: 5000 });
    return (isOk(answer) ? read(Published, answer)?.permalink : undefined) ?? null;
  } catch {
    return null;
  }
}
