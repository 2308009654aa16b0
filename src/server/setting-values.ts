// Types of settings, with the messages of invalid values.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { UUID } from '#contract/share-url.ts'
import { isPostgresUrl, splitHosts } from './database/server-urls.ts'
import { parseProxies, type TrustedProxies } from './http/client-ip.ts'

z.config(z.locales.pt())

export const day = z.iso.date({ error: 'use uma data como 2027-05-31' })
export const flag = z
  .enum(['true', 'false'], { error: 'use true ou false' })
  .transform((value) => value === 'true')
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
export const text = z.string().min(1)
export const httpUrl = z.url({ protocol: /^https?$/, error: 'informe uma URL http(s)' })
/** Only an origin: links would ignore a path. */
export const origin = httpUrl.pipe(
  z
    .string()
    .refine((value) => new URL(value).href === `${new URL(value).origin}/`, {
      error: 'informe só o endereço, como https://portal.exemplo.com.br, sem caminho, usuário nem parâmetros',
    })
    .transform((value) => new URL(value).origin),
)
/** Most common mistake in a URL's password. */
export const ESCAPES = 'na senha, # / ? @ e % escrevem-se %23 %2F %3F %40 e %25'
export const postgresUrl = z
  .string()
  .refine(isPostgresUrl, { error: `informe uma URL postgres://; ${ESCAPES}` })
  .pipe(z.string().superRefine(checkCertificateFiles))
const HOST_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/
export const hostName = z.string().regex(HOST_NAME, { error: 'use nomes de host em minúsculas, sem porta' })
export const companyDomain = z
  .string()
  .regex(HOST_NAME, { error: 'informe um só domínio, em minúsculas e sem @, como exemplo.com.br' })
/** 'Pátio <portal@exemplo.com.br>' or an address alone: one sender, valid in a header. */
export const sender = z
  .string()
  .regex(/^([^\p{Cc}<>",;:]+ <[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/u, {
    error: 'informe nome e e-mail, como Pátio <portal@exemplo.com.br>',
  })
export const wholeNumber = (min: number, max: number) => {
  const error = `use um número inteiro de ${min} a ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}
export const emailAddress = z.email({ error: 'informe um e-mail' }).transform((value) => value.toLowerCase())
export const readableFile = text.refine((file) => canRead(file), { error: 'o arquivo não pode ser lido' })

const DOMAIN = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i
export const applicationId = z.string().regex(UUID, { error: 'informe o ID do aplicativo (um UUID)' })
export const tenantId = z.string().refine((id) => UUID.test(id) || DOMAIN.test(id), {
  error: 'informe o ID do diretório (um UUID) ou o domínio do locatário',
})
/** The claim `tid` is compared with it, so that no domain will do. */
export const directoryId = z.string().regex(UUID, { error: 'informe o ID do diretório (um UUID)' })
export const certificate = text.refine(isCertificateWithKey, {
  error:
    'não é um certificado PEM com a sua chave privada; o caminho de um arquivo vai no mesmo nome com _FILE',
})
export const networks = list.transform(readNetworks)
export const proxies = networks.prefault('')

/** Rejects the range of all addresses, which would trust every client. */
function readNetworks(networks: string[], { addIssue }: z.RefinementCtx): TrustedProxies {
  try {
    return parseProxies(networks)
  } catch {
    addIssue('use endereços IP e faixas como 10.0.0.0/8, sem nomes nem /0')
    return z.NEVER
  }
}

/** Checks files of libpq's parameters; the driver would fail only when it connects. */
function checkCertificateFiles(url: string, { addIssue }: z.RefinementCtx): void {
  const { searchParams } = new URL(splitHosts(url)[0] as string)
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name)
    const content = file === null ? undefined : tryReadFile(file)
    if (file !== null && !content?.includes('-----BEGIN'))
      addIssue(`o arquivo de ${name} não existe ou não está em formato PEM`)
  }
}

/** Checks a PEM text for a certificate and its private key. */
function isCertificateWithKey(pem: string): boolean {
  try {
    return new X509Certificate(pem).checkPrivateKey(createPrivateKey(pem))
  } catch {
    return false
  }
}

const canRead = (file: string) => tryReadFile(file) !== undefined

function tryReadFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
