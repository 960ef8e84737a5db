import { member, naming } from "#core/message-parts.ts";
import type { JsonObject } from "#core/json.ts";
import type { Adapter, AppCredentials, ValidationProblem } from "./contract.ts";
import { splitScopes } from "./oauth-token.ts";

/* Scopes that only some options need. A scope that the platform has not approved can make it refuse the whole login.
   So a login requests only those that the operator lists. */

type Settings = AppCredentials["settings"];

/** The member of an account's capabilities that contains the extra scopes of its login. */
const GRANTED = "extraScopes";

/** The scopes that a login requests: `scopes` and those that the operator lists, without repetition. */
export function withExtraScopes(scopes: readonly string[], app: Pick<AppCredentials, "settings">): readonly string[] {
  return [...new Set([...scopes, ...splitScopes(app.settings["EXTRA_SCOPES"] ?? "")])];
}

/** The scopes that the operator lists in addition to those of every login. */
export function extraScopes(settings: Settings): readonly string[] {
  return withExtraScopes([], { settings });
}

/** Adds the listed scopes that a login has to its account's capabilities. */
export function withGrantedScopes(
  capabilities: JsonObject,
  granted: readonly string[],
  settings: Settings,
): JsonObject {
  const scopes = extraScopes(settings).filter((scope) => granted.includes(scope));
  return scopes.length === 0 ? capabilities : { ...capabilities, [GRANTED]: scopes };
}

/** Whether an account's login has all of these extra scopes. `capabilities` are those that the service last listed. */
export function hasExtraScopes(capabilities: JsonObject, scopes: readonly string[]): boolean {
  const granted = capabilities[GRANTED];
  return Array.isArray(granted) && scopes.every((scope) => granted.includes(scope));
}

/**
 * Stands for covers of videos, which are no option. Without their scopes a preview warns, as on a platform without
 * covers.
 */
const COVER = "cover";

export interface OptionScopes {
  /** The name of the option, or `cover`. */
  readonly option: string;
  readonly scopes: readonly string[];
  /** Whether the operator lists all of these scopes, so that a new login requests them. */
  readonly isAvailable: boolean;
}

export function optionScopesOf(
  adapter: Pick<Adapter, "optionScopes">,
  settings: Settings = {},
): readonly OptionScopes[] {
  const listed = extraScopes(settings);
  return Object.entries(adapter.optionScopes?.(settings) ?? {}).map(([option, scopes]) => ({
    option,
    scopes,
    isAvailable: scopes.every((scope) => listed.includes(scope)),
  }));
}

function isSet(value: JsonObject[string] | undefined): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
}

/**
 * The problems of requested options whose scopes the login lacks. `capabilities` are those that the service last
 * listed.
 */
export function optionScopeProblems(
  adapter: Pick<Adapter, "platform" | "optionScopes">,
  options: JsonObject,
  capabilities: JsonObject,
  settings: Settings,
): readonly ValidationProblem[] {
  const granted = Array.isArray(capabilities[GRANTED]) ? capabilities[GRANTED] : [];
  return optionScopesOf(adapter, settings).flatMap(({ option, scopes, isAvailable }): ValidationProblem[] => {
    const missing = scopes.filter((scope) => !granted.includes(scope));
    if (option === COVER || !isSet(options[option]) || (isAvailable && missing.length === 0)) {
      return [];
    }
    const param = `platform_options.${option}`;
    const rights = missing.join(", ");
    if (!isAvailable) {
      const variable = `${adapter.platform.toUpperCase()}_EXTRA_SCOPES`;
      const refused = naming`${member(option)} needs ${scopes.join(", ")}, which this service does not ask for: its operator adds it to ${variable} when the platform has approved it, then the account is connected again`;
      return [{ code: "option_not_available", ...refused, param }];
    }
    const refused = naming`${member(option)} needs ${rights}, which the login of this account does not have: connect the account again and grant it`;
    return [{ code: "missing_scope", ...refused, param }];
  });
}
