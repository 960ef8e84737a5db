import { z } from "@hono/zod-openapi";
import { checkAnswer, refreshUnknownGrant } from "#platforms/credential-check.ts";
import { basicAuthorization } from "#platforms/oauth-token.ts";
import type { OperatorChecks } from "#platforms/contract.ts";
import { parseBody } from "#platforms/response.ts";
import { apiUrl } from "./hosts.ts";

const ErrorBody = z.looseObject({
  code: z.union([z.number(), z.string()]).transform(String),
  message: z.string().nullish(),
  data: z.unknown().optional(),
});

export const operatorChecks: OperatorChecks = {
  shapeProblems({ clientId, clientSecret }) {
    return [
      ...(/^\d{6,20}$/.test(clientId) ? [] : ["the app id is not a number"]),
      ...(/^[0-9a-f]{32,64}$/.test(clientSecret) ? [] : ["the app secret key is not made of hexadecimal digits"]),
    ];
  },

  reviewLevel: ({ settings }) =>
    settings["API"] === "sandbox"
      ? { state: "limited", sentence: "Trial access with Pinterest's sandbox: pins are seen by their creator only" }
      : {
          state: "unstated",
          sentence: "Creating pins needs Standard access; with Trial access set PINTEREST_API=sandbox",
        },

  /**
   * Code 283 refuses the grant, and code 2 the app (https://github.com/pinterest/pinterest-python-sdk/issues/114).
   * Pinterest has also answered 283 to an unknown app id, which `data` then says
   * (https://github.com/pinterest/pinterest-api-demo/issues/16).
   */
  checkCredentials: async (client, app) =>
    await checkAnswer(
      app,
      () => refreshUnknownGrant(client, `${apiUrl(app)}/oauth/token`, app, basicAuthorization(app)),
      (response) => {
        const error = parseBody(ErrorBody, response);
        const detail = typeof error?.data === "string" ? ` ${error.data}` : "";
        const words = error === undefined ? "" : `${error.code}: ${error.message ?? ""}${detail}`;
        const isAboutApp = error?.code === "2" || /application id|client/i.test(detail);
        return { state: isAboutApp ? "refused" : error?.code === "283" ? "accepted" : "unknown", words };
      },
    ),
};
