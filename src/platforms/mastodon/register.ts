import { z } from "@hono/zod-openapi";
import type { AppRegistrations, Fault, PlatformClient, Result } from "#platforms/contract.ts";
import { failed, rateLimited, succeeded, temporary } from "#platforms/fault.ts";
import { appMisconfigured, catchConnectionErrors, requestTokens } from "#platforms/oauth-token.ts";
import { postJson } from "#platforms/request-encoding.ts";
import { type PlatformResponse, isOk, parseBody } from "#platforms/response.ts";
import { RegisteredApp } from "./answers.ts";
import { type Server, callServer, serverHeaders, serverUrl } from "./api.ts";
import { toFault } from "./errors.ts";

/** The app that one server knows this service as. */
export const Registration = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  clientName: z.string(),
  redirectUri: z.string(),
  scopes: z.array(z.string()),
});
export type Registration = z.infer<typeof Registration>;

/** The scope of the call that says whose login it is; `profile` exists since 4.3. */
const PROFILE_SCOPE = "profile";
const OLDER_PROFILE_SCOPE = "read:accounts";
const POSTING_SCOPES = ["read:statuses", "write:statuses", "write:media"] as const;

/** Scopes of which one is enough; the first one is requested from current servers. */
const NEEDED_SCOPES = [
  [PROFILE_SCOPE, OLDER_PROFILE_SCOPE, "read"],
  ...POSTING_SCOPES.map((scope) => [scope, scope.replace(/:.*/, "")] as const),
] as const;

export function findMissingScopes(granted: readonly string[]): readonly string[] {
  return NEEDED_SCOPES.filter((alternatives) => !alternatives.some((scope) => granted.includes(scope))).map(
    ([scope]) => scope,
  );
}

interface AppDescription {
  readonly clientName: string;
  readonly redirectUri: string;
  readonly website: string;
  readonly hasProfileScope: boolean;
}

/** The kept registration if the server still knows it, otherwise a new one: servers limit registrations. */
export async function obtainRegistration(
  client: PlatformClient,
  server: Server,
  registrations: AppRegistrations,
  app: AppDescription,
): Promise<Result<Registration>> {
  const kept = await registrations.find(server.host);
  const registration = Registration.safeParse(kept).data;
  if (registration && registration.redirectUri === app.redirectUri) {
    const known = await isKnown(client, server, registration);
    if (!known.ok || known.value) {
      return known.ok ? succeeded(registration) : known;
    }
  }
  if (kept) {
    await registrations.forget(server.host);
  }
  const created = await registerApp(client, server, app);
  if (!created.ok) {
    return created;
  }
  // Of two people who are the first ones at the same time, both use the same registration.
  const first = Registration.parse(await registrations.keep(server.host, created.value));
  if (!app.hasProfileScope) {
    // Servers before 4.3 delete an app that has no token yet.
    await isKnown(client, server, first);
  }
  return succeeded(first);
}

/** Whether the server knows the app: with an app that it does not know, the browser would end on an error page there. */
async function isKnown(client: PlatformClient, server: Server, app: Registration): Promise<Result<boolean>> {
  const answer = await requestTokens(client, {
    url: serverUrl(server, "/oauth/token").href,
    headers: serverHeaders(server),
    fields: {
      grant_type: "client_credentials",
      client_id: app.clientId,
      client_secret: app.clientSecret,
      scope: POSTING_SCOPES[0],
    },
  });
  if (answer.ok) {
    return succeeded(true);
  }
  const { platformCode, httpStatus } = answer.fault;
  if (platformCode === "invalid_client") {
    return succeeded(false);
  }
  const isAnswered = httpStatus !== null && httpStatus < 500 && httpStatus !== 429;
  return isAnswered ? succeeded(true) : failed(answer.fault);
}

async function registerApp(client: PlatformClient, server: Server, app: AppDescription): Promise<Result<Registration>> {
  return await catchConnectionErrors(async () => {
    const profileScope = app.hasProfileScope ? PROFILE_SCOPE : OLDER_PROFILE_SCOPE;
    let scopes: readonly string[] = [profileScope, ...POSTING_SCOPES];
    let response = await requestApp(client, server, app, scopes);
    if (response.status === 422 && profileScope === PROFILE_SCOPE) {
      scopes = [OLDER_PROFILE_SCOPE, ...POSTING_SCOPES];
      response = await requestApp(client, server, app, scopes);
    }
    const registered = isOk(response) ? parseBody(RegisteredApp, response) : undefined;
    if (!registered) {
      return failed(registrationFault(response));
    }
    return succeeded({
      clientId: registered.client_id,
      clientSecret: registered.client_secret,
      clientName: app.clientName,
      redirectUri: app.redirectUri,
      scopes: [...scopes],
    });
  });
}

function requestApp(
  client: PlatformClient,
  server: Server,
  app: AppDescription,
  scopes: readonly string[],
): Promise<PlatformResponse> {
  return callServer(
    client,
    server,
    "/api/v1/apps",
    postJson({
      client_name: app.clientName,
      redirect_uris: app.redirectUri,
      // As one text: a list would be ignored, and the app would get `read` only.
      scopes: scopes.join(" "),
      website: app.website,
    }),
  );
}

/** A refused registration is no fault of the user, and trying again at once would use up the server's limit. */
function registrationFault(response: PlatformResponse): Fault {
  if (response.status === 429) {
    return rateLimited("The server accepts no new apps at the moment. Try again in ten minutes.", {
      httpStatus: response.status,
      retryAfterSeconds: toFault(response, null).retryAfterSeconds,
    });
  }
  return response.status >= 500 || isOk(response)
    ? temporary("The server could not register this service as an app.", { httpStatus: response.status })
    : appMisconfigured(response.status, null);
}
