import type { OperatorApp, SimulatorContext } from "#sandbox/contract.ts";

/* The state of the operator's app at TikTok. Without a setting it is a new app: not audited, and approved only for the minimum. */

const SCOPES_OF_A_NEW_APP = ["user.info.basic", "video.publish"];

/** The scopes that the developer portal shows as approved for the app. */
export function approvedScopes(sim: SimulatorContext): readonly string[] {
  const scopes = sim.settings.extra["approved_scopes"];
  return typeof scopes === "string" ? scopes.split(",") : SCOPES_OF_A_NEW_APP;
}

export const isAudited = (sim: SimulatorContext): boolean => sim.settings.extra["audited"] === true;

/** The sandbox's app has passed the audit, so that the demo and the tests can post everything. The settings can undo this. */
export const operatorApp: OperatorApp = {
  settings: { audited: true, approved_scopes: "user.info.basic,video.publish,video.upload,video.list" },
  variables: { AUDITED: "true", SCOPES: "video.upload,video.list" },
};
