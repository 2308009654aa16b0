import type { Environment } from './environment.ts'

/** The lowest proof-of-work cost that production takes: below it a script solves challenges for nothing. */
const LOWEST_ALTCHA_COST = 1000
const SHORTEST_SECRET = 32

/** What a portal for real people cannot do without. */
export function faultsOfReal(env: Environment): string[] {
  const faults: string[] = []
  const required = [
    'PUBLIC_URL',
    'SESSION_SECRET',
    'COMPANY_EMAIL_DOMAIN',
    'SMTP_URL',
    'MAIL_FROM',
    'POWERBI_TENANT_ID',
    'POWERBI_CLIENT_ID',
  ] as const
  for (const name of required)
    if (!env[name] || env[name].length === 0) faults.push(`${name}: falta (obrigatória fora da demonstração)`)
  if (!env.POWERBI_CLIENT_SECRET && !env.POWERBI_CLIENT_CERTIFICATE)
    faults.push(
      'POWERBI_CLIENT_SECRET ou POWERBI_CLIENT_CERTIFICATE: falta (obrigatória fora da demonstração)',
    )
  return faults
}

/** What is good enough for trials only. */
export function faultsOfProduction(env: Environment): string[] {
  const faults: string[] = []
  if (env.PUBLIC_URL && !/^https:|^http:\/\/(localhost|127\.0\.0\.1)(:|$)/.test(env.PUBLIC_URL))
    faults.push('PUBLIC_URL: use https:// em produção')
  if (env.RATE_LIMITS === 'off') faults.push('RATE_LIMITS: não pode ser desligado em produção')
  if (env.PATIO_DEMO) faults.push('PATIO_DEMO: o modo de demonstração não existe em produção')
  if (env.ALTCHA_COST < LOWEST_ALTCHA_COST)
    faults.push(`ALTCHA_COST: use pelo menos ${LOWEST_ALTCHA_COST} em produção`)
  return faults
}

/** Variables that do not go together. */
export function faultsBetween(env: Environment, isDemo: boolean): string[] {
  const faults: string[] = []
  if (Boolean(env.RECAPTCHA_SITE_KEY) !== Boolean(env.RECAPTCHA_SECRET_KEY))
    faults.push('RECAPTCHA_SITE_KEY e RECAPTCHA_SECRET_KEY: informe as duas ou nenhuma')
  for (const secret of env.SESSION_SECRET ?? [])
    if (secret.length < SHORTEST_SECRET || new Set(secret).size < 8)
      faults.push(`SESSION_SECRET: use pelo menos ${SHORTEST_SECRET} caracteres aleatórios em cada segredo`)
  if (isDemo && env.HOST && !['127.0.0.1', 'localhost'].includes(env.HOST))
    faults.push('HOST: o modo de demonstração só atende em 127.0.0.1 ou localhost')
  if (env.BUILTIN_ADMIN_EMAIL && env.COMPANY_EMAIL_DOMAIN) {
    if (!env.BUILTIN_ADMIN_EMAIL.endsWith(`@${env.COMPANY_EMAIL_DOMAIN}`))
      faults.push('BUILTIN_ADMIN_EMAIL: precisa ser do domínio COMPANY_EMAIL_DOMAIN')
  }
  return faults
}
