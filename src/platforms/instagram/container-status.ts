import { isOk, parseBody } from "#platforms/response.ts";
import type { Job, PlatformClient } from "#platforms/contract.ts";
import { graphError, graphGet } from "#platforms/graph-api.ts";
import { Container } from "./answers.ts";
import { graphUrl } from "./hosts.ts";

/** `status_code` as Instagram spells it, LOST when the container does not exist, or "unreadable". */
export async function readContainerStatus(client: PlatformClient, job: Job, id: string): Promise<string> {
  // Reads with the login's token: reads with a Page token have failed with error 100/33.
  const url = `${graphUrl(job.account)}/${encodeURIComponent(id)}`;
  const response = await graphGet(client, url, job.account.loginToken, { fields: "status_code" });
  const container = isOk(response) ? parseBody(Container, response) : undefined;
  if (container) {
    return container.status_code;
  }
  const error = graphError(response);
  return error?.code === 24 || (error?.code === 100 && error.subcode === 33) ? "LOST" : "unreadable";
}
