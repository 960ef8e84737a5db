import type { JsonObject } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import { type Params, select, textOf } from "#sandbox/graph.ts";
import { lookAt } from "#sandbox/bytes.ts";

/* What a container is and what becomes of it: platforms/instagram.md 2.1 and part 6. */

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
const IMAGE_MAX_BYTES = 8 * MIB;
const VIDEO_MAX_BYTES = 300 * MIB;
const POLL_WAIT_MS = 2000;
const FIRST_PAUSE_MS = 25;

export interface Container {
  readonly id: string;
  readonly owner: string;
  readonly kind: "IMAGE" | "REELS" | "VIDEO" | "CAROUSEL";
  readonly child: boolean;
  readonly url: string | null;
  readonly children: readonly string[];
  readonly caption: string;
  readonly options: JsonObject;
  readonly createdAt: number;
  /** When the bytes had been fetched and looked at; null while that goes on. */
  readonly fetchedAt: number | null;
  readonly sha256: string | null;
  /** Subcode of what was wrong with the bytes. */
  readonly fault: number | null;
  readonly mediaId: string | null;
}

export type Status = "IN_PROGRESS" | "FINISHED" | "ERROR" | "EXPIRED" | "PUBLISHED";

const key = (id: string): string => `container:${id}`;

export function save(sim: Sim, container: Container): void {
  sim.store.put(key(container.id), { ...container, children: [...container.children] });
}

export function find(sim: Sim, id: string): Container | undefined {
  return sim.store.get(key(id)) as Container | undefined;
}

export function statusOf(sim: Sim, container: Container): Status {
  if (container.mediaId !== null) {
    return "PUBLISHED";
  }
  if (container.createdAt + DAY_MS <= sim.now()) {
    return "EXPIRED";
  }
  if (container.fetchedAt === null || container.fetchedAt + sim.settings.processing_ms > sim.now()) {
    return "IN_PROGRESS";
  }
  return container.fault === null ? "FINISHED" : "ERROR";
}

const TEXTS: Readonly<Record<Status, string>> = {
  IN_PROGRESS: "In Progress: Media is still being processed.",
  FINISHED: "Finished: Media has been uploaded and it is ready to be published.",
  ERROR: "Error: Media upload has failed with error code",
  EXPIRED: "Expired: The container was not published within 24 hours and has expired.",
  PUBLISHED: "Published: Media has been published.",
};

export function describe(sim: Sim, container: Container, params: Params): JsonObject {
  const status = statusOf(sim, container);
  const text = status === "ERROR" ? `${TEXTS.ERROR} ${container.fault}` : TEXTS[status];
  return select({ id: container.id, status_code: status, status: text }, textOf(params, "fields") ?? "id");
}

/** The subcode of what is wrong with an image, by its bytes. */
function faultInImage(size: number, looks: ReturnType<typeof lookAt>): number | null {
  if (looks.type === "unknown") {
    return 2_207_052;
  }
  if (looks.type !== "image/jpeg") {
    return 2_207_005;
  }
  if (size > IMAGE_MAX_BYTES) {
    return 2_207_004;
  }
  const ratio = looks.width !== null && looks.height ? looks.width / looks.height : 1;
  return ratio < 9 / 16 - 0.01 || ratio > 1.91 + 0.01 ? 2_207_009 : null;
}

function faultInVideo(size: number, looks: ReturnType<typeof lookAt>): number | null {
  if (looks.type !== "video/mp4") {
    return looks.type === "unknown" ? 2_207_052 : 2_207_026;
  }
  const seconds = looks.durationSeconds ?? 60;
  const ratio = looks.width !== null && looks.height ? looks.width / looks.height : 1;
  const fits = seconds >= 3 && seconds <= 15 * 60 && ratio >= 0.01 && ratio <= 10 && (looks.width ?? 0) <= 1920;
  return fits && size <= VIDEO_MAX_BYTES ? null : 2_207_026;
}

/** Really gets the bytes; after a kill a poll starts it again. */
function download(sim: Sim, id: string): Promise<void> {
  return sim.run(`fetch:${id}`, async () => {
    const container = find(sim, id);
    if (!container || container.url === null || container.fetchedAt !== null) {
      return;
    }
    let outcome: { sha256: string | null; fault: number | null };
    try {
      outcome = await judge(sim, container.url, container.kind === "IMAGE");
    } catch {
      outcome = { sha256: null, fault: 2_207_052 };
    }
    const now = find(sim, id);
    if (now) {
      save(sim, { ...now, ...outcome, fetchedAt: sim.now() });
    }
  });
}

async function judge(sim: Sim, url: string, image: boolean): Promise<{ sha256: string | null; fault: number | null }> {
  const answer = await sim.pull(url, { "user-agent": "facebookexternalhit/1.1" });
  const type = answer.headers.get("content-type") ?? "";
  if (!answer.ok || !answer.body || !/^(?:image|video|application\/octet-stream)/.test(type)) {
    await answer.body?.cancel();
    return { sha256: null, fault: 2_207_052 };
  }
  const { sha256, size, head } = await sim.digest(answer.body);
  const looks = lookAt(head);
  return { sha256, fault: image ? faultInImage(size, looks) : faultInVideo(size, looks) };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Gives a download that is under way a moment, so that small files are there at the first look. */
export async function settle(sim: Sim, container: Container, waitMs = POLL_WAIT_MS): Promise<Container> {
  if (container.url !== null && container.fetchedAt === null) {
    await Promise.race([download(sim, container.id), pause(waitMs)]);
  }
  return find(sim, container.id) ?? container;
}

/** Stores a new container and begins to fetch its media. */
export async function begin(sim: Sim, container: Container): Promise<void> {
  save(sim, container);
  await settle(sim, container, FIRST_PAUSE_MS);
}
