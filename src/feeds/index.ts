export { listFeeds } from "./list-feeds.ts";
export { makeFeed } from "./make-feed.ts";
export { readFeed } from "./read-feed.ts";
export { revokeFeed } from "./revoke-feed.ts";
export type { CalendarFeed } from "./types.ts";
