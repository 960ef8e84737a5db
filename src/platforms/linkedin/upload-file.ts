import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { Job, JobFile, PlatformClient, Result } from "#platforms/contract.ts";
import { failed, succeeded } from "#platforms/fault.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { sendRange } from "#platforms/send-range.ts";
import { FileUploadSession } from "./answers.ts";
import { connectionLost, isTrustedUploadUrl, unexpectedResponse } from "./assets.ts";
import { toAccountFault } from "./errors.ts";
import { API_ORIGIN, restHeaders } from "./hosts.ts";
import { WRITE_TIMEOUT_MS } from "./timeouts.ts";

/** Sends an image or a document whole, with the token (images-api, documents-api); returns its URN. */
export async function uploadFile(
  client: PlatformClient,
  job: Job,
  collection: "images" | "documents",
  {
    contentType,
    timeoutMs = WRITE_TIMEOUT_MS,
    ...file
  }: Pick<JobFile, "sizeBytes" | "read"> & {
    readonly contentType: string;
    readonly timeoutMs?: number;
  },
): Promise<Result<string>> {
  const { app, accessToken, platformAccountId } = job.account;
  const response = await callPlatform(client, `${API_ORIGIN}/rest/${collection}?action=initializeUpload`, {
    ...postJson({ initializeUploadRequest: { owner: platformAccountId } }, restHeaders(app, accessToken)),
    timeoutMs: WRITE_TIMEOUT_MS,
  }).catch(() => null);
  if (!response) {
    return failed(connectionLost());
  }
  const session = isOk(response) ? parseBody(FileUploadSession, response)?.value : undefined;
  const urn = session?.image ?? session?.document;
  if (!session || !urn || !isTrustedUploadUrl(session.uploadUrl)) {
    return failed(isOk(response) ? unexpectedResponse(response) : toAccountFault(response, job));
  }
  const uploadResponse = await sendRange(
    client,
    session.uploadUrl,
    file,
    { offset: 0, length: file.sizeBytes },
    {
      method: "PUT",
      headers: {
        ...bearerHeader(accessToken),
        "content-type": contentType,
        "content-length": String(file.sizeBytes),
      },
      timeoutMs,
    },
  );
  if (!uploadResponse) {
    return failed(connectionLost());
  }
  if (isOk(uploadResponse)) {
    return succeeded(urn);
  }
  return failed(uploadResponse.status < 400 ? unexpectedResponse(uploadResponse) : toAccountFault(uploadResponse, job));
}
