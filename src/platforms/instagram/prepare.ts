import { isJsonObject, type JsonValue } from "#core/json.ts";
import { MINUTE } from "#core/clock.ts";
import { altTextOf } from "#platforms/alt-text.ts";
import { isOk, parseBody } from "#platforms/response.ts";
import type { Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { type ContainerState, prepareContainers } from "#platforms/prepare-containers.ts";
import type { RequestFields } from "#platforms/request-encoding.ts";
import { graphError, graphGet } from "#platforms/graph-api.ts";
import { isStory } from "#platforms/story.ts";
import { Container } from "./answers.ts";
import { containerFailure, toFault } from "./errors.ts";
import { graphUrl } from "./hosts.ts";

const TRIAL_STRATEGIES: Readonly<Record<string, string>> = { manual: "MANUAL", performance: "SS_PERFORMANCE" };

export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const isCarousel = job.media.length > 1;
  return await prepareContainers(client, job, cursor, {
    createUrl: `${graphUrl(job.account)}/${encodeURIComponent(job.account.platformAccountId)}/media`,
    token: job.account.accessToken,
    childFields: isCarousel
      ? job.media.map((media, index) => ({ ...itemFields(media), user_tags: userTags(job, media, index) }))
      : [],
    containerFields: (children) =>
      isCarousel
        ? { media_type: "CAROUSEL", children: children.join(","), caption: job.caption, ...postFields(job) }
        : singleFields(job),
    readState: (id) => readContainerState(client, job, id),
    toFault: toFault,
    firstPollSeconds: 5,
    pauseAfterFinishedSeconds: 0,
    // Processing large videos has taken this long; images take seconds.
    deadlineMs: job.postType === "video" ? 60 * MINUTE : 30 * MINUTE,
    maxRebuilds: 3,
  });
}

function itemFields(media: JobMedia): RequestFields {
  return media.type === "video"
    ? { media_type: "VIDEO", video_url: media.url, thumb_offset: media.cover?.atMs, is_carousel_item: true }
    : { image_url: media.url, alt_text: altTextOf(media), is_carousel_item: true };
}

function singleFields(job: Job): RequestFields {
  const [media] = job.media;
  if (isStory(job.options)) {
    return storyFields(job, media);
  }
  if (media?.type !== "video") {
    return {
      image_url: media?.url,
      alt_text: media && altTextOf(media),
      caption: job.caption,
      user_tags: media && userTags(job, media, 0),
      ...postFields(job),
    };
  }
  const { placement, share_to_feed: shareToFeed, trial_reel_type: trial, audio_name: audioName } = job.options;
  const strategy = typeof trial === "string" ? TRIAL_STRATEGIES[trial] : undefined;
  return {
    // Since July 2023 every single video is a reel. `timeline` also shares it to the main feed.
    media_type: "REELS",
    video_url: media.url,
    caption: job.caption,
    cover_url: media.cover?.image?.url,
    thumb_offset: media.cover?.atMs,
    audio_name: typeof audioName === "string" ? audioName : undefined,
    user_tags: userTags(job, media, 0),
    ...postFields(job),
    ...(strategy
      ? { trial_params: JSON.stringify({ graduation_strategy: strategy }) }
      : { share_to_feed: placement === "timeline" || shareToFeed !== false }),
  };
}

/**
 * The fields of a story's container, which takes only the file and the tags: IG user media reference, "Image Story
 * Containers" and "Video Story Containers".
 */
function storyFields(job: Job, media: JobMedia | undefined): RequestFields {
  return {
    media_type: "STORIES",
    ...(media?.type === "video" ? { video_url: media.url } : { image_url: media?.url }),
    user_tags: media && userTags(job, media, 0),
  };
}

/** The fields of the container that is published, which items of a carousel do not have. */
function postFields({ options }: Job): RequestFields {
  const { collaborators, location_id: location, is_ai_generated: isAiGenerated } = options;
  return {
    collaborators: Array.isArray(collaborators) && collaborators.length > 0 ? JSON.stringify(collaborators) : undefined,
    location_id: typeof location === "string" ? location : undefined,
    is_ai_generated: isAiGenerated === true ? true : undefined,
  };
}

/** The tags of one item: with positions on an image, without on a video, and in a story as the caller sent them. */
function userTags({ options }: Job, media: JobMedia, index: number): string | undefined {
  const hasPlace = (x: JsonValue, y: JsonValue) =>
    isStory(options) ? x !== null && y !== null : media.type === "image";
  const tags = (Array.isArray(options["user_tags"]) ? options["user_tags"] : [])
    .filter(isJsonObject)
    .filter(({ media_index: at = 0 }) => at === index)
    .map(({ username = null, x = null, y = null }) => (hasPlace(x, y) ? { username, x, y } : { username }));
  return tags.length > 0 ? JSON.stringify(tags) : undefined;
}

/**
 * Reads a container's state. It uses the login's token, because reads with a Page token have failed with error 100/33.
 */
async function readContainerState(client: PlatformClient, job: Job, id: string): Promise<ContainerState> {
  const response = await graphGet(
    client,
    `${graphUrl(job.account)}/${encodeURIComponent(id)}`,
    job.account.loginToken,
    {
      fields: "status_code,status",
    },
  );
  const container = isOk(response) ? parseBody(Container, response) : undefined;
  if (!container) {
    const isNotVisibleYet = graphError(response)?.subcode === 33 || isOk(response);
    const fault = toFault(response);
    if (isNotVisibleYet) {
      return { state: "processing" };
    }
    return { state: "failed", fault, canRebuild: fault.code === "container_expired" };
  }
  switch (container.status_code) {
    case "FINISHED":
    case "PUBLISHED":
      return { state: "finished" };
    case "ERROR":
      return { state: "failed", ...containerFailure(container.status ?? "") };
    case "EXPIRED":
      return { state: "failed", ...containerFailure("2207020") };
    default:
      return { state: "processing" };
  }
}
