import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Config } from "#config.ts";
import { SCOPES, type Scope } from "#core/scope.ts";
import type { ApiEnv } from "#api/env.ts";
import { ErrorBody } from "#wire/schemas/error.ts";
import { EXAMPLE_APPROVAL_ID, EXAMPLE_ID, EXAMPLE_ORIGIN } from "#wire/schemas/common.ts";
import { AUTHENTICATED_HEADERS, HEADERS, type HeaderFields, headerReferences, COMMON_HEADERS } from "#api/headers.ts";
import { ERROR_RESPONSE_NAMES, type ErrorStatus } from "#api/error-responses.ts";

type Registry = OpenAPIHono<ApiEnv>["openAPIRegistry"];

const EXAMPLE_REQUEST_ID = HEADERS.RequestId.example;

type ErrorExample = Omit<ErrorBody, "request_id">;

interface ErrorResponse {
  readonly description: string;
  readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: ErrorExample }>>;
  readonly headers: HeaderFields;
}

const ERROR_RESPONSES: Record<ErrorStatus, ErrorResponse> = {
  400: {
    description: "The request is not valid or not possible in the current state; `details` lists every problem found.",
    examples: {
      validation_failed: {
        summary: "Members that are missing, of the wrong type or not allowed by a platform's rules",
        value: {
          error: "caption is required",
          code: "validation_failed",
          param: "caption",
          details: [{ code: "required", message: "caption is required", param: "caption" }],
        },
      },
      invalid_request: {
        summary: "A body that is not JSON",
        value: { error: "the body is not valid JSON", code: "invalid_request" },
      },
      confirmation_required: {
        summary: "A destructive call without `confirm: true`",
        value: {
          error: "this cannot be undone: send `confirm: true`",
          code: "confirmation_required",
          param: "confirm",
        },
      },
      invalid_confirmation_token: {
        summary: "A token that is unknown, expired, for the other operation, or of another user",
        value: { error: "invalid or expired confirmation token", code: "invalid_confirmation_token" },
      },
      token_already_used: {
        summary: "A token that was already used",
        value: {
          error: `confirmation token already used; it was for post ${EXAMPLE_ID}`,
          code: "token_already_used",
          post_ids: [EXAMPLE_ID],
        },
      },
      approval_declined: {
        summary: "A preview that a person declined",
        value: {
          error: "a person declined this: nothing was written",
          code: "approval_declined",
          approval: {
            id: EXAMPLE_APPROVAL_ID,
            url: `${EXAMPLE_ORIGIN}/approvals/${EXAMPLE_APPROVAL_ID}`,
            state: "declined",
            expires_at: "2026-11-27T09:06:12.000Z",
            note: "Not before the exhibition, please.",
          },
        },
      },
      invalid_state: {
        summary: "A post in a state that does not allow the call",
        value: { error: "a published post cannot be cancelled", code: "invalid_state" },
      },
      post_changed: {
        summary: "Posts that changed or started since the preview",
        value: {
          error: "posts changed since the preview: preview the edit again",
          code: "post_changed",
          post_ids: [EXAMPLE_ID],
        },
      },
      idempotency_key_reused: {
        summary: "An `Idempotency-Key` sent before with another body",
        value: {
          error: "this Idempotency-Key was used for another call: send a new one",
          code: "idempotency_key_reused",
          param: "Idempotency-Key",
        },
      },
    },
    headers: AUTHENTICATED_HEADERS,
  },
  401: {
    description: "The credential is missing, unknown, expired or revoked.",
    examples: {
      unauthenticated: {
        summary: "No credential",
        value: {
          error: "send an API key or an access token as `Authorization: Bearer <token>`",
          code: "unauthenticated",
        },
      },
    },
    headers: { ...COMMON_HEADERS, "WWW-Authenticate": "WwwAuthenticate" },
  },
  403: {
    description:
      "The credential lacks the scope, the user lacks the subscription or the plan, a limit of `GET /limits` is reached, or a person must approve first.",
    examples: {
      approval_required: {
        summary: "A person confirms what this credential previews",
        value: {
          error: `nothing was written: a person must approve this first, signed in, at ${EXAMPLE_ORIGIN}/approvals/${EXAMPLE_APPROVAL_ID}`,
          code: "approval_required",
          approval: {
            id: EXAMPLE_APPROVAL_ID,
            url: `${EXAMPLE_ORIGIN}/approvals/${EXAMPLE_APPROVAL_ID}`,
            state: "pending",
            expires_at: "2026-11-27T09:06:12.000Z",
          },
        },
      },
      insufficient_scope: {
        summary: "The credential lacks the scope",
        value: { error: "the credential lacks the scope posts:write", code: "insufficient_scope" },
      },
      subscription_required: {
        summary: "No subscription",
        value: {
          error: "the trial has ended or the subscription has lapsed: choose a plan in the dashboard",
          code: "subscription_required",
        },
      },
      plan_required: {
        summary: "The plan does not include it",
        value: { error: "workspaces need the Scale plan", code: "plan_required" },
      },
      account_limit_reached: {
        summary: "The plan's number of accounts is reached",
        value: { error: "the plan allows 5 accounts", code: "account_limit_reached" },
      },
      quota_exceeded: {
        summary: "Another limit of `GET /limits` is reached",
        value: {
          error:
            "your limit is 500 scheduled posts, and 500 are used: cancel some, wait until some are published, or choose a larger plan",
          code: "quota_exceeded",
          details: [{ code: "quota_exceeded", message: "scheduled_posts", limit: 500, actual: 500 }],
        },
      },
    },
    headers: { ...AUTHENTICATED_HEADERS, "WWW-Authenticate": "WwwAuthenticate" },
  },
  404: {
    description: "The resource does not exist, or it belongs to another user.",
    examples: {
      not_found: { summary: "Not found for this user", value: { error: "post not found", code: "not_found" } },
      unknown_workspace: {
        summary: "`Almanac-Workspace` names no workspace of this credential",
        value: { error: "workspace not found", code: "not_found", param: "Almanac-Workspace" },
      },
    },
    headers: AUTHENTICATED_HEADERS,
  },
  409: {
    description:
      "The first call with the same `Idempotency-Key` is still running; or a preview of another location, less than 90 seconds old, cannot be confirmed here yet. Send the same call again after `Retry-After`.",
    examples: {
      idempotency_key_in_use: {
        summary: "Still running",
        value: {
          error: "the first call with this Idempotency-Key is still running: try again in a second",
          code: "idempotency_key_in_use",
          param: "Idempotency-Key",
        },
      },
      token_not_visible_yet: {
        summary: "Previewed at another location a moment ago",
        value: {
          error:
            "this preview was made elsewhere a moment ago and cannot be read here yet: send the same confirm again in 1 s",
          code: "token_not_visible_yet",
          param: "confirmation_token",
        },
      },
    },
    headers: { ...AUTHENTICATED_HEADERS, "Retry-After": "RetryAfter" },
  },
  413: {
    description: "The body is over 1 MiB.",
    examples: {
      payload_too_large: {
        summary: "Too large",
        value: { error: "the body is over 1 MiB", code: "payload_too_large" },
      },
    },
    headers: AUTHENTICATED_HEADERS,
  },
  415: {
    description: "The body is not sent as `application/json`.",
    examples: {
      unsupported_media_type: {
        summary: "Another media type",
        value: { error: "send the body as application/json", code: "unsupported_media_type" },
      },
    },
    headers: AUTHENTICATED_HEADERS,
  },
  429: {
    description:
      "Too many requests with one credential or with all credentials of the user, a limit per hour of `GET /limits` is reached, or too many invalid credentials from one IP address.",
    examples: {
      rate_limited: {
        summary: "Over the plan's rate",
        value: { error: "over 300 requests in a minute: wait a minute", code: "rate_limited" },
      },
      limit_per_hour: {
        summary: "Over a limit per hour",
        value: {
          error:
            "your limit is 600 previews in an hour, and 600 are used: try again in 45 minutes, when the next hour begins",
          code: "rate_limited",
          details: [{ code: "quota_exceeded", message: "previews_per_hour", limit: 600, actual: 600 }],
        },
      },
    },
    headers: { ...AUTHENTICATED_HEADERS, RateLimit: "RateLimit", "Retry-After": "RetryAfter" },
  },
  500: {
    description: "An unexpected error of the service.",
    examples: {
      internal_error: {
        summary: "Unexpected error",
        value: {
          error: "internal error: try again later, and give the operator the request id if it persists",
          code: "internal_error",
        },
      },
    },
    headers: COMMON_HEADERS,
  },
  503: {
    description:
      "The database is overloaded, or publishing is held after a restore of the database; the call can be repeated, best with the same `Idempotency-Key`.",
    examples: {
      overloaded: {
        summary: "Too many requests at the database",
        value: {
          error: "the service is overloaded: send the same call again in some seconds",
          code: "overloaded",
        },
      },
      service_held: {
        summary: "The operator checks the posts after a restore; reads and previews work",
        value: {
          error:
            "the database was put back to an earlier time and the operator checks the posts: nothing is scheduled or published until then, reads and previews work",
          code: "service_held",
        },
      },
    },
    headers: { ...COMMON_HEADERS, "Retry-After": "RetryAfter" },
  },
};

const SCOPE_DESCRIPTIONS: Record<Scope, string> = {
  "accounts:read": "See connected accounts and their boards",
  "accounts:write": "Connect, sync and disconnect accounts",
  "posts:read": "See posts, their results and the schedule",
  "posts:write": "Import media; schedule, edit and cancel posts",
  "workspaces:read": "See workspaces and their webhooks",
  "workspaces:write": "Create workspaces and choose the active one; send events to webhooks",
};

function responseObject({ description, examples, headers: fields }: ErrorResponse) {
  return {
    description,
    headers: headerReferences(fields),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/ErrorBody" },
        examples: Object.fromEntries(
          Object.entries(examples).map(([name, { summary, value }]) => [
            name,
            { summary, value: { ...value, request_id: EXAMPLE_REQUEST_ID } },
          ]),
        ),
      },
    },
  };
}

/** Registers what operations reference by name: error responses, headers, parameters and security schemes. */
export function registerComponents(registry: Registry, config: Pick<Config, "authUrl">): void {
  registry.register("ErrorBody", ErrorBody);
  for (const [name, header] of Object.entries(HEADERS)) {
    registry.registerComponent("headers", name, header);
  }
  for (const [status, name] of Object.entries(ERROR_RESPONSE_NAMES)) {
    registry.registerComponent("responses", name, responseObject(ERROR_RESPONSES[Number(status) as ErrorStatus]));
  }
  registry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "API key",
    description:
      "A key created in the dashboard under AI & API, sent as `Authorization: Bearer alk_…`; limited by its scopes.",
  });
  registry.registerComponent("securitySchemes", "oauth2", {
    type: "oauth2",
    description: "OAuth 2.1 for third-party agents: authorization code with PKCE (S256).",
    flows: {
      authorizationCode: {
        authorizationUrl: `${config.authUrl}/oauth/authorize`,
        tokenUrl: `${config.authUrl}/oauth/token`,
        refreshUrl: `${config.authUrl}/oauth/token`,
        scopes: Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_DESCRIPTIONS[scope]])),
      },
    },
  });
}
