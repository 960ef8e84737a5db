import { SECOND } from "#core/clock.ts";
import { type Answer, isOk, read } from "#platforms/answer.ts";
import type { Job, VerifyOutcome, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { graphGet, nextCursor, type Paging } from "#platforms/graph.ts";
import { later } from "#platforms/later.ts";
import { type ListedPost, PostList, VideoList } from "./answers.ts";
import { labelOf, permalinkOf } from "./commit.ts";
import { DUPLICATE } from "./errors.ts";
import { graphOf } from "./hosts.ts";
import type { Ref } from "./refs.ts";
import { verifyVideo } from "./verify-video.ts";

const FIRST_LOOK_MS = 10 * SECOND;
const SECOND_LOOK_MS = 60 * SECOND;
/** Three looks over three minutes, and then it is not there. */
const DENIAL_MS = 180 * SECOND;
const CLOCK_SLACK_MS = 60 * SECOND;
const LATER_SECONDS = 60;
const PER_PAGE = 100;
const MOST_PAGES = 10;
const POST_FIELDS =
  "id,message,created_time,permalink_url,application{id},attachments{target{id},subattachments.limit(20){target{id}}}";
const VIDEO_FIELDS = "id,description,created_time,custom_labels,permalink_url";

type Look =
  | { readonly state: "found"; readonly id: string; readonly url: string | null }
  | { readonly state: "none" | "alike" | "unreadable" };

/** Posts without a handle of their own are looked for among what the Page has published since. */
export async function verifyFeed(client: PlatformClient, job: Job, plan: Ref): Promise<VerifyOutcome> {
  const committedAt = job.committedAt ?? plan.sentAt ?? job.now;
  const elapsed = job.now - Math.max(committedAt, plan.sentAt ?? 0);
  if (elapsed < FIRST_LOOK_MS) {
    return later(FIRST_LOOK_MS - elapsed);
  }
  const since = committedAt - CLOCK_SLACK_MS;
  const look = plan.kind === "video" ? await findVideo(client, job, since) : await findPost(client, job, plan, since);
  if (look.state === "found") {
    return plan.kind === "video"
      ? await verifyVideo(client, job, { ...plan, accepted: true }, look.id)
      : { state: "published", remoteId: look.id, url: look.url ?? `https://www.facebook.com/${look.id}` };
  }
  if (look.state === "unreadable") {
    return { state: "again", afterSeconds: LATER_SECONDS, known: false };
  }
  const nextLookMs = [SECOND_LOOK_MS, DENIAL_MS].find((at) => elapsed < at);
  if (nextLookMs !== undefined) {
    return later(nextLookMs - elapsed);
  }
  if (look.state === "alike" || plan.sends > 1) {
    return {
      state: "cannot_tell",
      detail: look.state === "alike" ? "a very similar post is there" : "sent twice and not found",
    };
  }
  if (plan.duplicate) {
    const message = "Facebook refused the post: the Page has just posted the same.";
    return {
      state: "refused",
      fault: rejected(message, { httpStatus: 400, platformCode: "506" }, { code: DUPLICATE, category: "duplicate" }),
    };
  }
  return { state: "absent" };
}

function plain(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}

interface Listed<T> {
  readonly items: readonly T[];
  /** Everything since then is among them; half a list would deny what is there. */
  readonly whole: boolean;
}

interface Query<T> {
  readonly edge: string;
  readonly fields: string;
  readonly since: number;
  readonly readPage: (answer: Answer) => { readonly data: readonly T[]; readonly paging?: Paging } | undefined;
}

/** What stands on the Page since then, newest first. */
async function listSince<T extends { readonly created_time?: string | null | undefined }>(
  client: PlatformClient,
  job: Job,
  { edge, fields, since, readPage }: Query<T>,
): Promise<Listed<T> | undefined> {
  const items: T[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const url = `${graphOf(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/${edge}`;
    const answer = await graphGet(client, url, job.account.accessToken, {
      fields,
      since: Math.floor((since - CLOCK_SLACK_MS) / SECOND),
      limit: PER_PAGE,
      after,
    });
    const list = isOk(answer) ? readPage(answer) : undefined;
    if (!list) {
      return undefined;
    }
    items.push(...list.data);
    after = nextCursor(list.paging);
    const oldest = Date.parse(list.data.at(-1)?.created_time ?? "");
    if (after === undefined || oldest < since - CLOCK_SLACK_MS) {
      return { items, whole: true };
    }
  }
  return { items, whole: false };
}

async function findPost(client: PlatformClient, job: Job, plan: Ref, since: number): Promise<Look> {
  const listed = await listSince(client, job, {
    edge: "published_posts",
    fields: POST_FIELDS,
    since,
    readPage: (answer) => read(PostList, answer),
  });
  if (!listed) {
    return { state: "unreadable" };
  }
  const ours = listed.items.find((post) => targetsOf(post).some((id) => plan.photos.includes(id)));
  // The photos' ids decide; where a list does not name them, what decides for texts has to do.
  const look = ours
    ? found(ours)
    : byText(
        listed.items.filter((post) => plan.photos.length === 0 || targetsOf(post).length === 0),
        job,
        since,
      );
  return look.state === "found" || listed.whole ? look : { state: "unreadable" };
}

function targetsOf(post: ListedPost): readonly string[] {
  const attachments = post.attachments?.data ?? [];
  return attachments
    .flatMap((attachment) => [attachment, ...(attachment.subattachments?.data ?? [])])
    .flatMap((attachment) => attachment.target?.id ?? []);
}

/** The Page's owner may have written the same by hand: only our app's post is ours. */
function byText(posts: readonly ListedPost[], job: Job, since: number): Look {
  const same = posts.filter(
    (post) => plain(post.message ?? "") === plain(job.caption) && Date.parse(post.created_time ?? "") >= since,
  );
  const [ours, ...others] = same.filter((post) => post.application?.id === job.account.app.clientId);
  if (ours && others.length === 0) {
    return found(ours);
  }
  return { state: same.length > 0 ? "alike" : "none" };
}

function found(post: ListedPost): Look {
  return { state: "found", id: post.id, url: permalinkOf(post.permalink_url) };
}

async function findVideo(client: PlatformClient, job: Job, since: number): Promise<Look> {
  const listed = await listSince(client, job, {
    edge: "videos",
    fields: VIDEO_FIELDS,
    since,
    readPage: (answer) => read(VideoList, answer),
  });
  const labelled = listed?.items.find((video) => video.custom_labels?.includes(labelOf(job)));
  if (labelled) {
    return { state: "found", id: labelled.id, url: permalinkOf(labelled.permalink_url) };
  }
  if (!listed?.whole) {
    return { state: "unreadable" };
  }
  const alike = listed.items.some(
    (video) => plain(video.description ?? "") === plain(job.caption) && Date.parse(video.created_time ?? "") >= since,
  );
  return { state: alike ? "alike" : "none" };
}
