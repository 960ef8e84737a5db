import { DAY } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { Call } from "./call.ts";
import { validationError } from "./error-responses.ts";
import type { Params } from "./params.ts";

/* Registered apps (docs/platforms/facts/mastodon.md 1.2 and 6.3). */

const NAME_MAX = 60;
const URL_MAX = 2000;
const DEFAULT_SCOPE = "read";

export interface App {
  readonly id: string;
  readonly name: string;
  readonly website: string | null;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly clientId: string;
  readonly clientSecret: string;
  readonly createdAt: number;
  /** Whether the server ever issued a token to the app. */
  readonly hasToken: boolean;
}

export const splitScopes = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);

/** Finds an app. Before 4.3 a nightly job deleted apps without a token (D methods/apps.md). */
export function findApp({ store, instance, sim }: Call, clientId: string): App | undefined {
  const app = store.get<App>(`app/${clientId}`);
  const isVacuumed = instance.is42 && app && !app.hasToken && app.createdAt + DAY <= sim.now();
  return isVacuumed ? undefined : app;
}

export function markAppUsed({ store }: Call, app: App): void {
  if (!app.hasToken) {
    store.put(`app/${app.clientId}`, { ...app, hasToken: true });
  }
}

/** The redirect URIs that a registration names: one text with a URI per line or, since 4.3, a list. */
function redirectUrisOf({ instance }: Call, params: Params): readonly string[] {
  const value = params.raw("redirect_uris");
  if (typeof value === "string") {
    return value.split("\n").filter(Boolean);
  }
  return instance.is42 ? [] : (params.list("redirect_uris") ?? []);
}

const FORBIDDEN_PROTOCOLS = new Set(["data:", "vbscript:", "javascript:"]);

function redirectUriProblem(uri: string): readonly [string, string] | null {
  const parsed = URL.parse(uri);
  if (!parsed || /\s/.test(uri)) {
    return ["Redirect URI must be an absolute URI.", "Redirect URI muss eine absolute URI sein."];
  }
  if (uri.includes("#")) {
    return ["Redirect URI cannot contain a fragment.", "Redirect URI darf kein Fragment enthalten."];
  }
  return FORBIDDEN_PROTOCOLS.has(parsed.protocol)
    ? ["Redirect URI is forbidden by the server.", "Redirect URI wird vom Server nicht erlaubt."]
    : null;
}

function registrationProblem(
  call: Call,
  { name, website, redirectUris, scopes }: Pick<App, "name" | "website" | "redirectUris" | "scopes">,
): readonly [string, string] | null {
  if (name.trim() === "") {
    return ["Application name can't be blank", "Name der Anwendung muss ausgefüllt werden"];
  }
  if ([...name].length > NAME_MAX) {
    return [
      `Application name is too long (maximum is ${NAME_MAX} characters)`,
      `Name der Anwendung ist zu lang (mehr als ${NAME_MAX} Zeichen)`,
    ];
  }
  if (redirectUris.length === 0) {
    return ["Redirect URI can't be blank", "Redirect URI muss ausgefüllt werden"];
  }
  if (redirectUris.join("\n").length > URL_MAX) {
    return [
      `Redirect URI is too long (maximum is ${URL_MAX} characters)`,
      `Redirect URI ist zu lang (mehr als ${URL_MAX} Zeichen)`,
    ];
  }
  const uriProblem = redirectUris.map(redirectUriProblem).find((problem) => problem !== null);
  if (uriProblem) {
    return uriProblem;
  }
  if (website !== null && (website.length > URL_MAX || !/^https?:$/.test(URL.parse(website)?.protocol ?? ""))) {
    return ["Application website is not a valid URL", "Website der Anwendung ist keine gültige URL"];
  }
  return scopes.every((scope) => call.instance.scopes.has(scope))
    ? null
    : [
        "Scopes doesn't match those configured on the server.",
        "Berechtigungen stimmen nicht mit denen des Servers überein.",
      ];
}

/** The app as JSON without its secrets. */
function appJson({ instance }: Call, app: App): JsonObject {
  return {
    id: app.id,
    name: app.name,
    website: app.website,
    ...(!instance.is42 && { scopes: [...app.scopes], redirect_uris: [...app.redirectUris] }),
    redirect_uri: app.redirectUris.join("\n"),
    vapid_key: "BCk-QqERU0q-CfYZjcuB6lnyyOYfJ2AifKqfeGIm7Z-HiTU5T9eTG5GxVA0_OH5mMlI4UkkDTpaZwozy0TzdZ2M=",
  };
}

/** Handles `POST /api/v1/apps`. */
export function registerApp(call: Call, params: Params): Response {
  const { store, sim, instance } = call;
  // The server silently ignores a list of scopes, so only `read` is left (M spec/requests/api/v1/apps_spec.rb).
  const scopesText = params.raw("scopes");
  const scopes = typeof scopesText === "string" ? splitScopes(scopesText) : [];
  const website = params.text("website") ?? "";
  const registration = {
    name: params.text("client_name") ?? "",
    website: website === "" ? null : website,
    redirectUris: redirectUrisOf(call, params),
    scopes: scopes.length === 0 ? [DEFAULT_SCOPE] : [...new Set(scopes)],
  };
  const problem = registrationProblem(call, registration);
  if (problem) {
    return validationError(call, problem);
  }
  const app: App = {
    ...registration,
    id: sim.newId(6),
    clientId: sim.newSecret(""),
    clientSecret: sim.newSecret(""),
    createdAt: sim.now(),
    hasToken: false,
  };
  store.put(`app/${app.clientId}`, app);
  return Response.json({
    ...appJson(call, app),
    client_id: app.clientId,
    client_secret: app.clientSecret,
    // The member exists since 4.4; 0 means that the secret never expires.
    ...((instance.apiVersion ?? 0) >= 6 && { client_secret_expires_at: 0 }),
  });
}

/** Handles `GET /api/v1/apps/verify_credentials`. */
export const verifyApp = (call: Call, app: App): Response => Response.json(appJson(call, app));
