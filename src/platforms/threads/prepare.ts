import type { JsonValue } from "#core/json.ts";
import { MINUTE } from "#core/clock.ts";
import { isOk, read } from "#platforms/answer.ts";
import type { Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { type ContainerState, prepareContainers } from "#platforms/containers.ts";
import type { Fields } from "#platforms/form.ts";
import { graphError, graphGet } from "#platforms/graph.ts";
import { Container } from "./answers.ts";
import { brokenContainer, isNotFound, toFault } from "./errors.ts";
import { graphOf } from "./hosts.ts";

export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const isCarousel = job.media.length > 1;
  return await prepareContainers(client, job, cursor, {
    url: `${graphOf(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/threads`,
    token: job.account.accessToken,
    items: isCarousel ? job.media.map((media) => ({ ...mediaFields(media), is_carousel_item: true })) : [],
    whole: (children) =>
      isCarousel
        ? { media_type: "CAROUSEL", children: children.join(","), text: textOf(job) }
        : { ...mediaFields(job.media[0]), text: textOf(job) },
    state: (id) => containerState(client, job, id),
    fault: toFault,
    firstPollSeconds: firstPollSeconds(job),
    // "Finished" comes a moment before the container can be published.
    settleSeconds: 2,
    deadlineMs: 15 * MINUTE,
    mostRebuilds: 2,
  });
}

const HURRY_MS = MINUTE;

/** The document's pace while there is time, a quicker one when the post is due. */
function firstPollSeconds(job: Job): number {
  if (job.media.length === 0 || job.dueAt - job.now < HURRY_MS) {
    return 5;
  }
  return job.media.some((media) => media.type === "video") ? 30 : 10;
}

/** With media the text may be missing. */
function textOf(job: Job): string | undefined {
  return job.caption === "" ? undefined : job.caption;
}

function mediaFields(media: JobMedia | undefined): Fields {
  if (!media) {
    return { media_type: "TEXT" };
  }
  return media.type === "video"
    ? { media_type: "VIDEO", video_url: media.url }
    : { media_type: "IMAGE", image_url: media.url };
}

async function containerState(client: PlatformClient, job: Job, id: string): Promise<ContainerState> {
  const answer = await graphGet(
    client,
    `${graphOf(job.account.app)}/${encodeURIComponent(id)}`,
    job.account.accessToken,
    {
      fields: "id,status,error_message",
    },
  );
  const container = isOk(answer) ? read(Container, answer) : undefined;
  if (!container) {
    // A fresh container is not to be seen for a moment; the deadline ends the waiting for one that is lost.
    return isOk(answer) || isNotFound(graphError(answer)) || toFault(answer).kind === "temporary"
      ? { state: "working" }
      : { state: "broken", fault: toFault(answer), again: false };
  }
  switch (container.status) {
    case "FINISHED":
    case "PUBLISHED":
      return { state: "finished" };
    case "ERROR":
      return { state: "broken", ...brokenContainer(container.error_message ?? "UNKNOWN") };
    case "EXPIRED":
      return { state: "broken", ...brokenContainer("EXPIRED") };
    default:
      return { state: "working" };
  }
}
