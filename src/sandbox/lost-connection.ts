const LOST_HEADER = "x-sandbox-connection";

/** A response that marks a dropped connection. `callPlatform` turns it into a failed fetch. */
export function lostConnectionResponse(): Response {
  return new Response(null, { status: 204, headers: { [LOST_HEADER]: "lost" } });
}

export function isLostConnection(response: Response): boolean {
  return response.headers.get(LOST_HEADER) === "lost";
}
