import type { Platform } from "#core/platform.ts";
import { operatorChecks as bluesky } from "./bluesky/operator-checks.ts";
import { operatorChecks as facebook } from "./facebook/operator-checks.ts";
import { operatorChecks as instagram } from "./instagram/operator-checks.ts";
import { operatorChecks as linkedin } from "./linkedin/operator-checks.ts";
import { operatorChecks as mastodon } from "./mastodon/operator-checks.ts";
import { operatorChecks as pinterest } from "./pinterest/operator-checks.ts";
import { operatorChecks as threads } from "./threads/operator-checks.ts";
import { operatorChecks as tiktok } from "./tiktok/operator-checks.ts";
import { operatorChecks as x } from "./x/operator-checks.ts";
import { operatorChecks as youtube } from "./youtube/operator-checks.ts";
import type { OperatorChecks } from "./contract.ts";

/** The checks for operators, separate from the adapters, so that an isolate that publishes never loads them. */
export const OPERATOR_CHECKS: Readonly<Record<Platform, OperatorChecks>> = {
  instagram,
  tiktok,
  youtube,
  linkedin,
  x,
  facebook,
  pinterest,
  threads,
  bluesky,
  mastodon,
};
