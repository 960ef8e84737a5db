import type { Armable } from "./arm.ts";
import { platformsOf } from "./plan.ts";
import type { Post } from "./types.ts";

/** What arming needs of a post. */
export function armableOf(post: Post): Armable {
  const { id, version, status, scheduledAt, mediaItems: media } = post;
  return { id, version, status, scheduledAt, media, platforms: platformsOf(post.targets) };
}
