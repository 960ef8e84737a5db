import { call, codeIn } from "./outbound.ts";

/* Somebody who has given the app access to LinkedIn, by raw HTTP as the document describes it. */

const REDIRECT = "http://localhost:8787/connect/linkedin/callback";
export const MEMBER = "openid profile email w_member_social";
export const PAGES = "r_basicprofile r_organization_social rw_organization_admin w_member_social w_organization_social";
export const APP = { client_id: "sandbox-linkedin", client_secret: "sandbox-linkedin-secret" };
export const ADA = "urn:li:person:AbC123xyz";
export const COMPANY = "urn:li:organization:5515715";
const WWW = "https://www.linkedin.com";

export function authorize(change: Record<string, string> = {}): Promise<Response> {
  const query = {
    response_type: "code",
    client_id: APP.client_id,
    redirect_uri: REDIRECT,
    state: "s1",
    scope: MEMBER,
    login: "ada",
    ...change,
  };
  return call(`${WWW}/oauth/v2/authorization?${String(new URLSearchParams(query))}`);
}

export async function codeFor(change: Record<string, string> = {}): Promise<string> {
  return codeIn(await authorize(change));
}

export const codeForm = (code: string): Record<string, string> => ({
  ...APP,
  grant_type: "authorization_code",
  redirect_uri: REDIRECT,
  code,
});

export const oauth = (path: string, form: Record<string, string>): Promise<Response> =>
  call(`${WWW}/oauth/v2/${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });

export const tokenCall = (form: Record<string, string>): Promise<Response> => oauth("accessToken", form);

export interface Tokens {
  readonly access_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  readonly refresh_token_expires_in?: number;
}

export async function tokensOf(change: Record<string, string> = {}): Promise<Tokens> {
  return (await tokenCall(codeForm(await codeFor(change)))).json<Tokens>();
}

/** `status code` of a refusal, as the document's table pairs them. */
export async function codeOf(answer: Response): Promise<string> {
  const text = await answer.text();
  return answer.ok ? String(answer.status) : `${answer.status} ${(JSON.parse(text) as { code: string }).code}`;
}

/** Of this month, so that the version is alive whenever the test's clock says it is. */
export const versionNow = (): string => new Date().toISOString().slice(0, 7).replace("-", "");

export interface Instruction {
  readonly firstByte: number;
  readonly lastByte: number;
  readonly uploadUrl: string;
}

/** Calls the API as that person. */
export async function person(change: Record<string, string> = {}) {
  const tokens = await tokensOf(change);
  const authorization = `Bearer ${tokens.access_token}`;
  const raw = (method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Response> =>
    call(`https://api.linkedin.com${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const rest = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    raw(
      method,
      `/rest/${path}`,
      { "linkedin-version": versionNow(), "x-restli-protocol-version": "2.0.0", ...headers },
      body,
    );
  const put = (url: string, bytes: Uint8Array<ArrayBuffer>, withToken: boolean): Promise<Response> =>
    call(url, { method: "PUT", headers: withToken ? { authorization } : {}, body: bytes });
  const image = async (bytes: Uint8Array<ArrayBuffer>, owner = ADA): Promise<string> => {
    const answer = await rest("POST", "images?action=initializeUpload", { initializeUploadRequest: { owner } });
    const { value } = await answer.json<{ value: { uploadUrl: string; image: string } }>();
    await put(value.uploadUrl, bytes, true);
    return value.image;
  };
  const startVideo = async (size: number, owner = ADA) => {
    const initializeUploadRequest = { owner, fileSizeBytes: size, uploadCaptions: false, uploadThumbnail: false };
    const answer = await rest("POST", "videos?action=initializeUpload", { initializeUploadRequest });
    const { value } = await answer.json<{
      value: { video: string; uploadToken: string; uploadInstructions: Instruction[] };
    }>();
    return value;
  };
  const finalize = (video: string, uploadedPartIds: readonly string[], uploadToken = ""): Promise<Response> =>
    rest("POST", "videos?action=finalizeUpload", {
      finalizeUploadRequest: { video, uploadToken, uploadedPartIds },
    });
  const video = async (bytes: Uint8Array<ArrayBuffer>, owner = ADA): Promise<string> => {
    const started = await startVideo(bytes.length, owner);
    const etags: string[] = [];
    for (const part of started.uploadInstructions) {
      const answer = await put(part.uploadUrl, bytes.slice(part.firstByte, part.lastByte + 1), false);
      etags.push((answer.headers.get("etag") ?? "").replaceAll('"', ""));
    }
    await finalize(started.video, etags);
    return started.video;
  };
  return { tokens, raw, rest, put, image, startVideo, finalize, video };
}

export type LinkedInPerson = Awaited<ReturnType<typeof person>>;

/** A post as the document shows it. */
export const postOf = (commentary: string, more: object = {}) => ({
  author: ADA,
  commentary,
  visibility: "PUBLIC",
  distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: "PUBLISHED",
  isReshareDisabledByAuthor: false,
  ...more,
});
