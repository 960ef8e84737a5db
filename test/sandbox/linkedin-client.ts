import { callPlatform, codeFromRedirect } from "./call-platform.ts";

/* Connects a test user to LinkedIn and calls its API with raw HTTP requests, as platforms/linkedin.md describes them. */

const REDIRECT = "http://localhost:8787/connect/linkedin/callback";
export const MEMBER_SCOPES = "openid profile email w_member_social";
export const ORGANIZATION_SCOPES =
  "r_basicprofile r_organization_social rw_organization_admin w_member_social w_organization_social";
export const APP = { client_id: "sandbox-linkedin", client_secret: "sandbox-linkedin-secret" };
export const ADA = "urn:li:person:AbC123xyz";
export const ORGANIZATION = "urn:li:organization:5515715";
export const STUDIO = "urn:li:organization:7700001";
export const SHOWCASE = "urn:li:organizationBrand:88912973";
const WWW = "https://www.linkedin.com";

export function authorize(overrides: Record<string, string> = {}): Promise<Response> {
  const query = {
    response_type: "code",
    client_id: APP.client_id,
    redirect_uri: REDIRECT,
    state: "s1",
    scope: MEMBER_SCOPES,
    login: "ada",
    ...overrides,
  };
  return callPlatform(`${WWW}/oauth/v2/authorization?${String(new URLSearchParams(query))}`);
}

export async function requestCode(overrides: Record<string, string> = {}): Promise<string> {
  return codeFromRedirect(await authorize(overrides));
}

export const codeGrantForm = (code: string): Record<string, string> => ({
  ...APP,
  grant_type: "authorization_code",
  redirect_uri: REDIRECT,
  code,
});

export const postOAuth = (path: string, form: Record<string, string>): Promise<Response> =>
  callPlatform(`${WWW}/oauth/v2/${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });

export const requestToken = (form: Record<string, string>): Promise<Response> => postOAuth("accessToken", form);

export interface Tokens {
  readonly access_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  readonly refresh_token_expires_in?: number;
}

export async function requestTokens(overrides: Record<string, string> = {}): Promise<Tokens> {
  return (await requestToken(codeGrantForm(await requestCode(overrides)))).json<Tokens>();
}

/** `status code` of an error response; only the status of a success. */
export async function errorCodeOf(response: Response): Promise<string> {
  const text = await response.text();
  return response.ok ? String(response.status) : `${response.status} ${(JSON.parse(text) as { code: string }).code}`;
}

/** The current month, so that the version is supported whatever time the test has set. */
export const currentVersion = (): string => new Date().toISOString().slice(0, 7).replace("-", "");

export interface UploadInstruction {
  readonly firstByte: number;
  readonly lastByte: number;
  readonly uploadUrl: string;
}

/** Calls the API with a token of the test user. */
export async function createClient(overrides: Record<string, string> = {}) {
  const tokens = await requestTokens(overrides);
  const authorization = `Bearer ${tokens.access_token}`;
  const request = (method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Response> =>
    callPlatform(`https://api.linkedin.com${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const callRest = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    request(
      method,
      `/rest/${path}`,
      { "linkedin-version": currentVersion(), "x-restli-protocol-version": "2.0.0", ...headers },
      body,
    );
  const putBytes = (url: string, bytes: Uint8Array<ArrayBuffer>, withToken: boolean): Promise<Response> =>
    callPlatform(url, { method: "PUT", headers: withToken ? { authorization } : {}, body: bytes });
  const uploadImage = async (bytes: Uint8Array<ArrayBuffer>, owner = ADA): Promise<string> => {
    const response = await callRest("POST", "images?action=initializeUpload", { initializeUploadRequest: { owner } });
    const { value } = await response.json<{ value: { uploadUrl: string; image: string } }>();
    await putBytes(value.uploadUrl, bytes, true);
    return value.image;
  };
  const initializeVideo = async (size: number, owner = ADA) => {
    const initializeUploadRequest = { owner, fileSizeBytes: size, uploadCaptions: false, uploadThumbnail: false };
    const response = await callRest("POST", "videos?action=initializeUpload", { initializeUploadRequest });
    const { value } = await response.json<{
      value: { video: string; uploadToken: string; uploadInstructions: UploadInstruction[] };
    }>();
    return value;
  };
  const finalizeVideo = (video: string, uploadedPartIds: readonly string[], uploadToken = ""): Promise<Response> =>
    callRest("POST", "videos?action=finalizeUpload", {
      finalizeUploadRequest: { video, uploadToken, uploadedPartIds },
    });
  const uploadVideo = async (bytes: Uint8Array<ArrayBuffer>, owner = ADA): Promise<string> => {
    const initialized = await initializeVideo(bytes.length, owner);
    const etags: string[] = [];
    for (const part of initialized.uploadInstructions) {
      const response = await putBytes(part.uploadUrl, bytes.slice(part.firstByte, part.lastByte + 1), false);
      etags.push((response.headers.get("etag") ?? "").replaceAll('"', ""));
    }
    await finalizeVideo(initialized.video, etags);
    return initialized.video;
  };
  return { tokens, request, callRest, putBytes, uploadImage, initializeVideo, finalizeVideo, uploadVideo };
}

export type LinkedInClient = Awaited<ReturnType<typeof createClient>>;

export const postBody = (commentary: string, overrides: object = {}) => ({
  author: ADA,
  commentary,
  visibility: "PUBLIC",
  distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: "PUBLISHED",
  isReshareDisabledByAuthor: false,
  ...overrides,
});
