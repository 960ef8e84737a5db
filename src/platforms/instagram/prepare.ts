import type { JsonValue } from "#core/json.ts";
import { MINUTE } from "#core/clock.ts";
import { isOk, read } from "#platforms/answer.ts";
import type { Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { type ContainerState, prepareContainers } from "#platforms/containers.ts";
import type { Fields } from "#platforms/form.ts";
import { graphError, graphGet } from "#platforms/graph.ts";
import { Container } from "./answers.ts";
import { brokenContainer, toFault } from "./errors.ts";
import { graphOf } from "./hosts.ts";

const TRIAL_STRATEGIES: Readonly<Record<string, string>> = { manual: "MANUAL", performance: "SS_PERFORMANCE" };

export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const isCarousel = job.media.length > 1;
  return await prepareContainers(client, job, cursor, {
    url: `${graphOf(job.account)}/${encodeURIComponent(job.account.platformAccountId)}/media`,
    token: job.account.accessToken,
    items: isCarousel ? job.media.map(itemFields) : [],
    whole: (children) =>
      isCarousel ? { media_type: "CAROUSEL", children: children.join(","), caption: job.caption } : singleFields(job),
    state: (id) => containerState(client, job, id),
    fault: toFault,
    firstPollSeconds: 5,
    settleSeconds: 0,
    // Practice for large videos; images are done in seconds.
    deadlineMs: job.postType === "video" ? 60 * MINUTE : 30 * MINUTE,
    mostRebuilds: 3,
  });
}

function itemFields(media: JobMedia): Fields {
  return media.type === "video"
    ? { media_type: "VIDEO", video_url: media.url, is_carousel_item: true }
    : { image_url: media.url, is_carousel_item: true };
}

function singleFields(job: Job): Fields {
  const [media] = job.media;
  if (media?.type !== "video") {
    return { image_url: media?.url, caption: job.caption };
  }
  const { placement, share_to_feed: shareToFeed, trial_reel_type: trial } = job.options;
  const strategy = typeof trial === "string" ? TRIAL_STRATEGIES[trial] : undefined;
  return {
    // Since July 2023 every single video is a reel; the timeline is where it is shared to.
    media_type: "REELS",
    video_url: media.url,
    caption: job.caption,
    ...(strategy
      ? { trial_params: JSON.stringify({ graduation_strategy: strategy }) }
      : { share_to_feed: placement === "timeline" || shareToFeed !== false }),
  };
}

/** Reading goes with the login's token: with a Page's own one it has answered 100/33. */
async function containerState(client: PlatformClient, job: Job, id: string): Promise<ContainerState> {
  const answer = await graphGet(client, `${graphOf(job.account)}/${encodeURIComponent(id)}`, job.account.loginToken, {
    fields: "status_code,status",
  });
  const container = isOk(answer) ? read(Container, answer) : undefined;
  if (!container) {
    const isUnseen = graphError(answer)?.subcode === 33 || isOk(answer);
    const fault = toFault(answer);
    if (isUnseen) {
      return { state: "working" };
    }
    return { state: "broken", fault, again: fault.code === "container_lost" };
  }
  switch (container.status_code) {
    case "FINISHED":
    case "PUBLISHED":
      return { state: "finished" };
    case "ERROR":
      return { state: "broken", ...brokenContainer(container.status ?? "") };
    case "EXPIRED":
      return { state: "broken", ...brokenContainer("2207020") };
    default:
      return { state: "working" };
  }
}
