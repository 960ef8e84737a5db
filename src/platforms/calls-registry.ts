import * as bluesky from "./bluesky/calls.ts";
import * as facebook from "./facebook/calls.ts";
import * as instagram from "./instagram/calls.ts";
import * as linkedin from "./linkedin/calls.ts";
import * as mastodon from "./mastodon/calls.ts";
import * as pinterest from "./pinterest/calls.ts";
import * as threads from "./threads/calls.ts";
import * as tiktok from "./tiktok/calls.ts";
import * as x from "./x/calls.ts";
import * as youtube from "./youtube/calls.ts";

/** The parts of the adapters that send requests. The first call loads all of them together. */
export const CALLS = { instagram, tiktok, youtube, linkedin, x, facebook, pinterest, threads, bluesky, mastodon };
