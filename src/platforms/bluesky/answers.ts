import { z } from "@hono/zod-openapi";

const Did = z.string().regex(/^did:(?:plc:[a-z2-7]{24}|web:[a-z0-9.-]{1,253})$/);

/** The name of an error. Other texts of an answer are not read, because they could repeat what the service sent. */
export const ErrorName = z.looseObject({ error: z.string().regex(/^[A-Za-z_]{1,60}$/) });

export const ErrorBody = z.looseObject({
  error: ErrorName.shape.error.nullish().catch(null),
  message: z.string().nullish().catch(null),
});

export const ResolvedHandle = z.looseObject({ did: Did });

export const DidDocument = z.looseObject({
  id: Did,
  alsoKnownAs: z.array(z.string()).nullish(),
  service: z.array(z.looseObject({ id: z.string(), type: z.unknown(), serviceEndpoint: z.unknown() })).nullish(),
});

export const ProtectedResource = z.looseObject({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
});

export const AuthorizationServerMetadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  pushed_authorization_request_endpoint: z.string(),
  revocation_endpoint: z.string().nullish(),
  client_id_metadata_document_supported: z.literal(true),
  require_pushed_authorization_requests: z.literal(true),
  authorization_response_iss_parameter_supported: z.literal(true),
  code_challenge_methods_supported: z.array(z.string()),
  dpop_signing_alg_values_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  protected_resources: z.array(z.string()).nullish(),
});

export const PushedRequest = z.looseObject({ request_uri: z.string().min(1) });

export const TokenAnswer = z.looseObject({
  access_token: z.string().min(1),
  token_type: z.string(),
  refresh_token: z.string().min(1).nullish(),
  scope: z.string(),
  expires_in: z.coerce.number().positive().nullish(),
  sub: z.string(),
});
export type TokenAnswer = z.infer<typeof TokenAnswer>;

/** The answer to `createSession` and `refreshSession`. */
export const PasswordTokens = z.looseObject({
  accessJwt: z.string().min(1),
  refreshJwt: z.string().min(1),
  did: Did,
  handle: z.string().nullish(),
});
export type PasswordTokens = z.infer<typeof PasswordTokens>;

export const SessionInfo = z.looseObject({
  did: Did,
  handle: z.string().min(1),
  active: z.boolean().nullish(),
  status: z.string().nullish(),
});

export const Profile = z.looseObject({ displayName: z.string().nullish(), avatar: z.string().nullish() });
export type Profile = z.infer<typeof Profile>;

/** A file on the server. Servers refuse a blob object with further members, so they are dropped. */
export const Blob = z.object({
  $type: z.literal("blob"),
  ref: z.object({ $link: z.string().min(1) }),
  mimeType: z.string().min(1),
  size: z.number(),
});
export type Blob = z.infer<typeof Blob>;

export const UploadedBlob = z.looseObject({ blob: Blob });

export const ServiceAuth = z.looseObject({ token: z.string().min(1) });

export const ServerDescription = z.looseObject({ did: z.string().regex(/^did:[a-z]+:[\w.:%-]+$/) });

export const UploadLimits = z.looseObject({
  canUpload: z.boolean(),
  remainingDailyVideos: z.number().nullish(),
  remainingDailyBytes: z.number().nullish(),
  message: z.string().nullish(),
});

const VideoJob = z.looseObject({
  jobId: z.string().nullish(),
  state: z.string().nullish(),
  blob: Blob.nullish().catch(null),
  error: z.string().nullish(),
  failureCode: z.string().nullish(),
  message: z.string().nullish(),
});
export type VideoJob = z.infer<typeof VideoJob>;

/**
 * The state of a video job. An upload answers with the bare job and a status call with a wrapped one, but both calls
 * have also used the other form.
 */
export const VideoJobAnswer = z
  .union([z.looseObject({ jobStatus: VideoJob }).transform((body) => body.jobStatus), VideoJob])
  .refine((job) => (job.jobId ?? job.state ?? job.error ?? job.blob ?? null) !== null);

export const VideoRefusal = z.looseObject({
  error: z.string().nullish().catch(null),
  message: z.string().nullish().catch(null),
});

export const CreatedRecord = z.looseObject({ uri: z.string(), cid: z.string() });

const StrongRef = z.object({ uri: z.string(), cid: z.string() });

export const StoredRecord = z.looseObject({
  uri: z.string(),
  cid: z.string().nullish(),
  value: z.looseObject({ text: z.string(), reply: z.looseObject({ root: StrongRef }).nullish().catch(null) }),
});
