import { X509Certificate } from 'node:crypto'

/** The portal's credential of an application in Microsoft Entra. */
export interface Credential {
  clientSecret?: string | undefined
  clientCertificate?: string | undefined
  /** The secret's last day, as the settings name it: Entra does not. */
  secretEnds?: string | undefined
}

/** Reads when a certificate ends, or a secret as the settings say. */
export function readCredentialEnd(credential: Credential): Date | undefined {
  const { clientSecret, clientCertificate, secretEnds } = credential
  if (clientCertificate && !clientSecret) return new X509Certificate(clientCertificate).validToDate
  return secretEnds ? new Date(`${secretEnds}T23:59:59Z`) : undefined
}
