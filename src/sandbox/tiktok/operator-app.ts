import type { OperatorApp, SimulatorContext } from "#sandbox/contract.ts";

/* How the operator's app stands at TikTok. Without a setting it is a new app: not audited, approved for the least it needs. */

const SCOPES_OF_A_NEW_APP = ["user.info.basic", "video.publish"];

/** The scopes that the developer portal shows as approved for the app. */
export function approvedScopes(sim: SimulatorContext): readonly string[] {
  const scopes = sim.settings.extra["approved_scopes"];
  return typeof scopes === "string" ? scopes.split(",") : SCOPES_OF_A_NEW_APP;
}

export const isAudited = (sim: SimulatorContext): boolean => sim.settings.extra["audited"] === true;

/** The sandbox's app has passed the audit, so that the demo and the tests can post everything; the settings take it back. */
export const operatorApp: OperatorApp = {
  settings: { audited: true, approved_scopes: "user.info.basic,video.publish,video.upload,video.list" },
  variables: { AUDITED: "true", SCOPES: "video.upload,video.list" },
};
