import type { JsonValue } from "#core/json.ts";
import { MINUTE } from "#core/clock.ts";
import { isOk, parseBody } from "#platforms/response.ts";
import type { Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { type ContainerState, prepareContainers } from "#platforms/prepare-containers.ts";
import type { RequestFields } from "#platforms/request-encoding.ts";
import { graphError, graphGet } from "#platforms/graph-api.ts";
import { Container } from "./answers.ts";
import { containerFailure, isContainerNotFound, toFault } from "./errors.ts";
import { graphUrl } from "./hosts.ts";

export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const isCarousel = job.media.length > 1;
  return await prepareContainers(client, job, cursor, {
    createUrl: `${graphUrl(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/threads`,
    token: job.account.accessToken,
    childFields: isCarousel ? job.media.map((media) => ({ ...mediaFields(media), is_carousel_item: true })) : [],
    containerFields: (children) =>
      isCarousel
        ? { media_type: "CAROUSEL", children: children.join(","), text: captionOrUndefined(job) }
        : { ...mediaFields(job.media[0]), text: captionOrUndefined(job) },
    readState: (id) => readContainerState(client, job, id),
    toFault: toFault,
    firstPollSeconds: firstPollSeconds(job),
    // The status "finished" is reported shortly before the container can be published.
    pauseAfterFinishedSeconds: 2,
    deadlineMs: 15 * MINUTE,
    maxRebuilds: 2,
  });
}

const FAST_POLLING_BEFORE_DUE_MS = MINUTE;

/** The polling interval that Meta documents, or a shorter one when the post is due soon. */
function firstPollSeconds(job: Job): number {
  if (job.media.length === 0 || job.dueAt - job.now < FAST_POLLING_BEFORE_DUE_MS) {
    return 5;
  }
  return job.media.some((media) => media.type === "video") ? 30 : 10;
}

/** An empty text is not sent; posts with media need none. */
function captionOrUndefined(job: Job): string | undefined {
  return job.caption === "" ? undefined : job.caption;
}

function mediaFields(media: JobMedia | undefined): RequestFields {
  if (!media) {
    return { media_type: "TEXT" };
  }
  return media.type === "video"
    ? { media_type: "VIDEO", video_url: media.url }
    : { media_type: "IMAGE", image_url: media.url };
}

async function readContainerState(client: PlatformClient, job: Job, id: string): Promise<ContainerState> {
  const response = await graphGet(
    client,
    `${graphUrl(job.account.app)}/${encodeURIComponent(id)}`,
    job.account.accessToken,
    {
      fields: "id,status,error_message",
    },
  );
  const container = isOk(response) ? parseBody(Container, response) : undefined;
  if (!container) {
    // A new container is not visible at first; one that never becomes visible ends with the deadline.
    return isOk(response) || isContainerNotFound(graphError(response)) || toFault(response).kind === "temporary"
      ? { state: "processing" }
      : { state: "failed", fault: toFault(response), canRebuild: false };
  }
  switch (container.status) {
    case "FINISHED":
    case "PUBLISHED":
      return { state: "finished" };
    case "ERROR":
      return { state: "failed", ...containerFailure(container.error_message ?? "UNKNOWN") };
    case "EXPIRED":
      return { state: "failed", ...containerFailure("EXPIRED") };
    default:
      return { state: "processing" };
  }
}
