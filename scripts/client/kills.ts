import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Almanac, type Retry, type ScheduleResult, type UploadProgress } from "../../clients/typescript/src/index.ts";
import { freeBox } from "../free-box.ts";
import { call, freePort, migrate, type Service, sleep, startService } from "../service.ts";

/*
 * Kills the service (`kill -9`) while the client confirms, and while it uploads a file in parts; then counts the posts:
 * `npm run client -- kills [how many]`.
 */

const DEFAULT_KILLS = 20;
/** Retries that last long enough for the service to come back on a busy machine. Delays are in milliseconds. */
const PATIENT = { maxRetries: 200, baseDelayMs: 200, maxDelayMs: 500 };
/**
 * The latest time of a kill, as a multiple of the time of an undisturbed answer. So kills fall before, into and after
 * the write.
 */
const KILL_RANGE = 1.2;
const UPLOAD_KILL_DELAY_MS = 40;
const FILE_BYTES = 150 * 1024 ** 2;

interface Killing {
  readonly origin: string;
  readonly key: string;
  readonly service: Service;
  readonly start: () => Promise<Service>;
  readonly kills: number;
}

function createClient(
  { origin, key }: Pick<Killing, "origin" | "key">,
  onCall: (request: Request) => { readonly answerIsLost: Promise<void> } | undefined,
  retries: Retry[],
): Almanac {
  return new Almanac({
    baseUrl: `${origin}/v1`,
    token: key,
    retry: PATIENT,
    onRetry: (retry) => retries.push(retry),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const lost = onCall(request);
      const response = await fetch(request);
      if (lost) {
        // The answer arrived before the kill, so it is thrown away.
        await lost.answerIsLost;
        throw new TypeError("the connection was lost");
      }
      return response;
    },
  });
}

async function countPosts(almanac: Almanac, caption: string): Promise<number> {
  let count = 0;
  for await (const post of almanac.posts()) {
    count += post.caption === caption ? 1 : 0;
  }
  return count;
}

/** Schedules posts and kills the service after each confirm was sent. Fails unless each post exists once. */
export async function killDuringConfirm(
  killing: Killing,
): Promise<{ readonly report: string; readonly service: Service }> {
  let { service } = killing;
  const retries: Retry[] = [];
  let restart: Promise<void> | undefined;
  let undisturbedMs: number | undefined;
  let sentAt = 0;
  let killedAt = 0;
  const almanac = createClient(
    killing,
    ({ url }) => {
      if (restart || !url.endsWith("/posts/confirm")) {
        return undefined;
      }
      sentAt = Date.now();
      if (undisturbedMs === undefined) {
        return undefined;
      }
      const delayMs = Math.random() * undisturbedMs * KILL_RANGE;
      restart = (async () => {
        await sleep(delayMs);
        killedAt = Date.now();
        await service.kill();
        service = await killing.start();
      })();
      return { answerIsLost: restart };
    },
    retries,
  );
  const wrong: string[] = [];
  let writtenBefore = 0;
  let alreadyConfirmed = 0;
  // The first call is not killed, because it measures how long an answer takes.
  for (let index = 0; index <= killing.kills; index += 1) {
    const caption = `Killed ${crypto.randomUUID()}`;
    const scheduledAt = new Date(Date.now() + 86_400_000 + index * 60_000).toISOString();
    const result: ScheduleResult = await almanac.schedule(
      { caption, scheduled_at: scheduledAt, platforms: ["x"] },
      { confirm: () => true },
    );
    undisturbedMs ??= Date.now() - sentAt;
    await restart;
    restart = undefined;
    if (result.state === "scheduled" && index > 0) {
      writtenBefore += Date.parse(result.post.created_at) <= killedAt ? 1 : 0;
      alreadyConfirmed += result.alreadyConfirmed ? 1 : 0;
    }
    const count = await countPosts(almanac, caption);
    if (count !== 1) {
      wrong.push(`${caption}: ${count}`);
    }
  }
  if (wrong.length > 0) {
    throw new Error(`posts that are not there exactly once: ${wrong.join(", ")}`);
  }
  const report = `killed during confirm: ${killing.kills} of ${killing.kills} posts are there once; ${writtenBefore} were written before the kill, ${alreadyConfirmed} of them without an answer that could be replayed`;
  return { report, service };
}

/** Enlarges a video to the necessary size, with a box that players skip. */
async function createLargeVideo(origin: string): Promise<File> {
  const sample = await (await fetch(`${origin}/sandbox/media/landscape.mp4`)).arrayBuffer();
  return new File([sample, freeBox(FILE_BYTES - sample.byteLength)], "large.mp4", { type: "video/mp4" });
}

/** Uploads a file in parts with a kill after the first part, and schedules a post with it. */
async function killDuringUpload(killing: Killing): Promise<{ readonly report: string; readonly service: Service }> {
  let { service } = killing;
  let restart: Promise<void> | undefined;
  let puts = 0;
  const almanac = createClient(
    killing,
    ({ method }) => {
      puts += method === "PUT" ? 1 : 0;
      if (puts !== 2 || restart) {
        return undefined;
      }
      restart = (async () => {
        await sleep(Math.random() * UPLOAD_KILL_DELAY_MS);
        await service.kill();
        service = await killing.start();
      })();
      return { answerIsLost: restart };
    },
    [],
  );
  const progress: UploadProgress[] = [];
  const item = await almanac.upload(await createLargeVideo(killing.origin), {
    concurrency: 1,
    onProgress: (step) => progress.push(step),
  });
  await restart;
  const { preview } = await almanac.previewPost({
    body: {
      caption: "A long video",
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
      platforms: ["x"],
      media_items: [item],
    },
  });
  const parts = progress.length - 1;
  const report = `killed during an upload of ${FILE_BYTES} bytes: ${parts} parts sent with ${puts} requests, ${preview.media_items[0]?.size_bytes} bytes are there`;
  return { report, service };
}

export async function kills(count: string = String(DEFAULT_KILLS)): Promise<void> {
  const stateDir = await mkdtemp(join(tmpdir(), "almanac-client-kills-"));
  try {
    await migrate(stateDir);
    const port = await freePort();
    const start = () => startService({ port, stateDir, logFile: join(stateDir, "service.log") });
    let service = await start();
    try {
      const { origin } = service;
      const { api_key: key } = await call<{ api_key: string }>(origin, "POST", "/sandbox/users", { body: {} });
      await call(origin, "POST", "/sandbox/connect", { body: { api_key: key, platform: "x" } });
      const killing = { origin, key, start, kills: Number(count) };
      const uploaded = await killDuringUpload({ ...killing, service });
      service = uploaded.service;
      console.log(uploaded.report);
      const confirmed = await killDuringConfirm({ ...killing, service });
      service = confirmed.service;
      console.log(confirmed.report);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
}
