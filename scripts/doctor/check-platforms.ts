import { DAY } from "#core/clock.ts";
import { PLATFORM_NAMES } from "#core/platform.ts";
import type { PlatformCheck, PlatformFacts } from "#operator/facts.ts";
import type { ApiVersion } from "#platforms/contract.ts";
import { green, red, type Row, yellow } from "./row.ts";

const WARN_DAYS = 60;

const guideOf = (platform: string): string => `docs/platforms/${platform}.md`;

function credentialRow(
  { platform, needsApp, state, missing, shapeProblems }: PlatformFacts,
  isSimulated: boolean,
): Row {
  const what = `${PLATFORM_NAMES[platform]}: credentials`;
  if (state === "half") {
    return red(what, `${missing.join(", ")} is missing: set it and deploy`);
  }
  if (isSimulated && needsApp) {
    return green(what, "those of the simulator");
  }
  return shapeProblems.length === 0
    ? green(what, needsApp ? "of the form that the platform gives" : "no app is needed")
    : yellow(what, `${shapeProblems.join("; ")}; compare with ${guideOf(platform)}`);
}

/** An option whose permission no login requests is not a mistake. A requested permission that no option needs may be one. */
function scopeRows({ platform, unusedScopes, unavailableOptions }: PlatformFacts): Row[] {
  const name = PLATFORM_NAMES[platform];
  const variable = `${platform.toUpperCase()}_EXTRA_SCOPES`;
  return [
    ...(unavailableOptions.length === 0
      ? []
      : [green(`${name}: options`, `not offered: ${unavailableOptions.join(", ")}; ${guideOf(platform)}, Scopes`)]),
    ...(unusedScopes.length === 0
      ? []
      : [
          yellow(
            `${name}: ${variable}`,
            `${unusedScopes.join(", ")}: no option needs it; compare with ${guideOf(platform)}`,
          ),
        ]),
  ];
}

/** The days until the version is switched off decide; `now` is the service's clock. */
function versionRow(name: string, { name: version, endsOn, source }: ApiVersion, now: number): Row {
  const what = `${name}: API version`;
  if (endsOn === null) {
    return green(what, `${version}, no last day known (${source})`);
  }
  const days = Math.ceil((Date.parse(endsOn) - now) / DAY);
  const text = `${version} ends on ${endsOn}`;
  const advice = `update this service, or set ${name.toUpperCase()}_API_VERSION (${source})`;
  if (days <= 0) {
    return red(what, `${version} ended on ${endsOn}: ${advice}`);
  }
  return days <= WARN_DAYS ? yellow(what, `${text}, in ${days} days: ${advice}`) : green(what, text);
}

function liveRow(check: PlatformCheck, needsApp: boolean): Row {
  const name = PLATFORM_NAMES[check.platform];
  const what = `${name}: live`;
  const words = check.words === "" ? "" : ` (${check.words})`;
  switch (check.state) {
    case "accepted":
      return green(what, needsApp ? `${name} knows the app and its secret` : `${name} answers${words}`);
    case "refused":
      return red(what, `${name} refuses the app${words}: ${guideOf(check.platform)}, Errors, app_misconfigured`);
    case "unknown":
      return yellow(what, `${name} answered what tells neither${words}`);
    case "unreachable":
      return yellow(what, `${name} gave no answer: try again`);
  }
}

/** Everything about the platforms; `checks` is null when no call was wanted. */
export function checkPlatforms(
  platforms: readonly PlatformFacts[],
  {
    checks,
    isSimulated,
    now,
  }: { readonly checks: readonly PlatformCheck[] | null; readonly isSimulated: boolean; readonly now: number },
): Row[] {
  return platforms.flatMap((facts) => {
    const name = PLATFORM_NAMES[facts.platform];
    if (facts.state === "not_configured") {
      return [green(name, `not set up; ${guideOf(facts.platform)} says how`)];
    }
    const check = checks?.find(({ platform }) => platform === facts.platform);
    const { apiVersion, review, scopes } = facts;
    return [
      credentialRow(facts, isSimulated),
      ...(check === undefined ? [] : [liveRow(check, facts.needsApp)]),
      ...(facts.state === "half"
        ? []
        : [
            green(
              `${name}: login`,
              `redirect URI ${facts.redirectUri}; ${scopes === null ? "scopes by server" : `scopes ${scopes.join(" ")}`}`,
            ),
            ...scopeRows(facts),
            (review.state === "limited" ? yellow : green)(`${name}: review`, review.sentence),
            ...(apiVersion === null ? [] : [versionRow(name, apiVersion, now)]),
          ]),
    ];
  });
}
