import { MINUTE, SECOND } from "#core/clock.ts";
import { read } from "#platforms/answer.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { later } from "#platforms/later.ts";
import { type ListedVideo, VideoList } from "./answers.ts";
import { ask, isGranted } from "./api.ts";
import { profileUrl } from "./connect.ts";
import { toFault } from "./errors.ts";
import { isPublic, titleOf } from "./options.ts";
import type { Ref } from "./refs.ts";

/** The list shows public posts, and those after moderation. */
const FIRST_LOOK_MS = 15 * SECOND;
const SECOND_LOOK_MS = 75 * SECOND;
const LAST_LOOK_MS = 10 * MINUTE;
const CLOCK_SLACK_MS = 10 * SECOND;
/** Listed texts are cut; shorter ones must be equal. */
const LISTED_CHARACTERS = 150;
const SAME_CHARACTERS = 120;

/** The answer with the handle was lost. TikTok may have posted the photos, so they are looked for and never sent again. */
export async function findPhotos(client: PlatformClient, job: Job, plan: Ref): Promise<VerifyOutcome> {
  const wanted = [job.caption, titleOf(job.options)].map(plain).filter((text) => text !== "");
  if (plan.terms === null || !isPublic(job.options) || wanted.length === 0) {
    return { state: "cannot_tell", detail: "TikTok lists public posts with a text only" };
  }
  const since = job.committedAt ?? plan.sentAt ?? job.now;
  const elapsed = job.now - since;
  if (elapsed < FIRST_LOOK_MS) {
    return later(FIRST_LOOK_MS - elapsed);
  }
  const answer = await ask(
    client,
    "/v2/video/list/?fields=id,title,video_description,create_time,share_url",
    job.account.accessToken,
    { max_count: 20 },
  );
  const list = isGranted(answer) ? read(VideoList, answer) : undefined;
  const fault = list || isGranted(answer) ? null : toFault(answer);
  if (fault?.code === "missing_scope") {
    return { state: "cannot_tell", detail: "the login does not allow looking at the account's posts" };
  }
  if (fault?.kind === "reconnect") {
    return { state: "refused", fault };
  }
  const hits = (list?.data.videos ?? []).filter((post) => isOurs(post, wanted, since - CLOCK_SLACK_MS));
  const [first] = hits;
  if (first && hits.length === 1) {
    const profile = profileUrl(job.account.capabilities);
    return {
      state: "published",
      remoteId: first.id,
      url: first.share_url ?? (profile && `${profile}/photo/${first.id}`),
    };
  }
  if (first) {
    return { state: "cannot_tell", detail: "several posts look like this one" };
  }
  if (elapsed < SECOND_LOOK_MS) {
    return later(SECOND_LOOK_MS - elapsed);
  }
  return elapsed < LAST_LOOK_MS
    ? later(LAST_LOOK_MS - elapsed)
    : { state: "cannot_tell", detail: "not listed, and a list need not show it" };
}

function isOurs(post: ListedVideo, wanted: readonly string[], since: number): boolean {
  const isSince = (post.create_time ?? 0) * SECOND >= since;
  const texts = [post.video_description, post.title].map(plain).filter((text) => text !== "");
  return isSince && texts.some((text) => wanted.some((ours) => isSame(text, ours)));
}

function isSame(listed: string, ours: string): boolean {
  const isCut = ours.length > LISTED_CHARACTERS && listed.length >= SAME_CHARACTERS;
  return listed === ours || (isCut && ours.startsWith(listed.slice(0, SAME_CHARACTERS)));
}

function plain(text: string | null | undefined): string {
  return (text ?? "").normalize("NFC").replace(/\s+/g, " ").trim();
}
