import type { JsonValue } from "#core/json.ts";
import { MINUTE } from "#core/clock.ts";
import { altTextOf } from "#platforms/alt-text.ts";
import { isOk, parseBody } from "#platforms/response.ts";
import type { Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { type ContainerState, prepareContainers } from "#platforms/prepare-containers.ts";
import type { RequestFields } from "#platforms/request-encoding.ts";
import { graphError, graphGet } from "#platforms/graph-api.ts";
import { jobOfPart } from "#platforms/thread.ts";
import { Container } from "./answers.ts";
import { containerFailure, isContainerNotFound, toFault } from "./errors.ts";
import { graphUrl } from "./hosts.ts";
import { options } from "./options.ts";

export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const post = jobOfPart(job);
  const isCarousel = post.media.length > 1;
  const ownFields: RequestFields = {
    text: captionOrUndefined(post),
    reply_to_id: post.replyTo ?? undefined,
    ...optionFields(post),
  };
  return await prepareContainers(client, post, cursor, {
    createUrl: `${graphUrl(job.account.app)}/${encodeURIComponent(job.account.platformAccountId)}/threads`,
    token: job.account.accessToken,
    childFields: isCarousel ? post.media.map((media) => ({ ...mediaFields(media), is_carousel_item: true })) : [],
    containerFields: (children) =>
      isCarousel
        ? { media_type: "CAROUSEL", children: children.join(","), ...ownFields }
        : { ...mediaFields(post.media[0]), ...ownFields },
    readState: (id) => readContainerState(client, job, id),
    toFault: toFault,
    firstPollSeconds: firstPollSeconds(post),
    // Threads reports the status "finished" shortly before the container can be published.
    pauseAfterFinishedSeconds: 2,
    deadlineMs: 15 * MINUTE,
    maxRebuilds: 2,
  });
}

const FAST_POLLING_BEFORE_DUE_MS = MINUTE;

/** How long (s) to wait before the first poll: as Meta documents it, or shorter if the post is due soon. */
function firstPollSeconds(job: Job): number {
  if (job.media.length === 0 || job.dueAt - job.now < FAST_POLLING_BEFORE_DUE_MS) {
    return 5;
  }
  return job.media.some((media) => media.type === "video") ? 30 : 10;
}

const POLL_MEMBERS = ["option_a", "option_b", "option_c", "option_d"] as const;

/** The fields for the options, in the container that is published. */
function optionFields({ options: requested }: Job): RequestFields {
  const { reply_control, topic_tag, link_attachment, poll, is_spoiler } = options.parse(requested);
  return {
    reply_control,
    topic_tag,
    link_attachment,
    poll_attachment:
      poll && JSON.stringify(Object.fromEntries(poll.options.map((text, index) => [POLL_MEMBERS[index] ?? "", text]))),
    is_spoiler_media: is_spoiler === true ? true : undefined,
  };
}

/** The caption, or undefined for an empty one, which is not sent. Posts with media need no text. */
function captionOrUndefined(job: Job): string | undefined {
  return job.caption === "" ? undefined : job.caption;
}

function mediaFields(media: JobMedia | undefined): RequestFields {
  if (!media) {
    return { media_type: "TEXT" };
  }
  const altText = { alt_text: altTextOf(media) };
  return media.type === "video"
    ? { media_type: "VIDEO", video_url: media.url, ...altText }
    : { media_type: "IMAGE", image_url: media.url, ...altText };
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
    // A new container is not visible at first. If it never becomes visible, the deadline ends the wait.
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
