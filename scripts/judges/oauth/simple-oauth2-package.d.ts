/** The members of the package that are used here; it has no type declarations. */
declare module "simple-oauth2" {
  export interface AccessToken {
    readonly token: { readonly access_token: string };
    refresh(): Promise<AccessToken>;
    revokeAll(): Promise<void>;
  }
  export class AuthorizationCode {
    constructor(options: {
      client: { id: string; secret: string };
      auth: { tokenHost: string; tokenPath: string; authorizePath: string; revokePath: string };
    });
    authorizeURL(params: Record<string, string>): string;
    getToken(params: Record<string, string>): Promise<AccessToken>;
  }
}
