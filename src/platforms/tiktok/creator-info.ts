import type { JsonObject } from "#core/json.ts";
import type { CreatorInfo } from "#platforms/contract.ts";
import { PRIVATE_LEVEL } from "./options.ts";

/** What the person who confirms sees of it; undefined while nothing is known. An app without an audit has less to offer. */
export function toCreatorInfo(capabilities: JsonObject, hasAudit: boolean): CreatorInfo | undefined {
  const levels = capabilities["privacyLevels"];
  if (!Array.isArray(levels)) {
    return undefined;
  }
  const text = (name: string) => (typeof capabilities[name] === "string" ? capabilities[name] : null);
  const maxSeconds = capabilities["maxVideoSeconds"];
  return {
    name: text("creatorName") ?? text("creatorUsername"),
    avatarUrl: text("creatorAvatarUrl"),
    privacyOptions: levels.map(String).filter((level) => hasAudit || level === PRIVATE_LEVEL),
    commentAllowed: capabilities["commentDisabled"] !== true,
    duetAllowed: capabilities["duetDisabled"] !== true,
    stitchAllowed: capabilities["stitchDisabled"] !== true,
    maxVideoSeconds: typeof maxSeconds === "number" ? maxSeconds : null,
  };
}
