interface Cause {
  /** Follows a colon. */
  says: string
  todo: string
}

const UNTRUSTED: Cause = {
  says: 'o certificado não é de uma autoridade conhecida (autoassinado, ou falta a cadeia)',
  todo: 'Instale a cadeia completa no serviço, ou aponte NODE_EXTRA_CA_CERTS para o certificado da autoridade.',
}
const UNREACHABLE: Cause = {
  says: 'não há resposta desse endereço',
  todo: 'Confira o endereço, a porta e o firewall entre o portal e o serviço.',
}
const DISK_FULL: Cause = {
  says: 'o disco está cheio',
  todo: 'Libere espaço, ou use outro disco.',
}
const LOCKED: Cause = {
  says: 'a resposta demorou demais, talvez porque outra sessão segura uma tabela',
  todo: 'Encerre-a e tente de novo: select pid, pg_blocking_pids(pid), query from pg_stat_activity.',
}
const WRONG_LOGIN: Cause = {
  says: 'usuário ou senha recusados',
  todo: 'Confira o usuário e a senha na configuração.',
}

/** Codes of the system, of TLS, of PostgreSQL (SQLSTATE) and of the mail library. */
const BY_CODE: Record<string, Cause> = {
  ECONNREFUSED: {
    says: 'ninguém atende nesse endereço e porta',
    todo: 'Inicie o serviço, ou confira o endereço e a porta.',
  },
  ENOTFOUND: { says: 'o nome não existe no DNS', todo: 'Confira o nome do host e o DNS desta máquina.' },
  ENOENT: { says: 'esse caminho não existe', todo: 'Crie-o, ou confira o caminho.' },
  EACCES: {
    says: 'este usuário não tem acesso a esse caminho',
    todo: 'Confira o dono e os direitos, e rode o comando como o usuário do portal.',
  },
  EISDIR: { says: 'esse caminho é uma pasta', todo: 'Informe o nome de um arquivo.' },
  ENOTDIR: { says: 'uma parte desse caminho não é uma pasta', todo: 'Confira o caminho.' },
  EROFS: { says: 'esse disco é só de leitura', todo: 'Use outra pasta.' },
  ENOSPC: DISK_FULL,
  EDQUOT: DISK_FULL,
  EAI_AGAIN: { says: 'o DNS não respondeu', todo: 'Confira o DNS desta máquina.' },
  ECONNRESET: {
    says: 'a conexão foi cortada',
    todo: 'Confira se a porta fala este protocolo e se um firewall não a corta.',
  },
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  UND_ERR_CONNECT_TIMEOUT: UNREACHABLE,
  ABORT_ERR: UNREACHABLE,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: { says: 'o certificado venceu', todo: 'Renove o certificado do serviço.' },
  CERT_NOT_YET_VALID: {
    says: 'o certificado ainda não vale, ou o relógio desta máquina está atrasado',
    todo: 'Ligue a sincronização de hora (NTP) nas duas máquinas.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    says: 'o certificado é de outro nome',
    todo: 'Use o nome que está no certificado, ou emita um para este.',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    says: 'essa porta não fala TLS',
    todo: 'Confira a porta, e se o endereço deve começar por https ou smtps.',
  },
  EAUTH: WRONG_LOGIN,
  '28P01': WRONG_LOGIN,
  '28000': WRONG_LOGIN,
  '3D000': { says: 'o banco de dados não existe', todo: 'Crie-o, ou confira o nome no fim de DATABASE_URL.' },
  '42P01': { says: 'o banco ainda não tem tabelas', todo: 'Inicie o portal: ele as cria.' },
  '42501': {
    says: 'o usuário do banco não tem esse direito',
    todo: 'Faça-o dono do banco de dados: alter database … owner to ….',
  },
  '53100': DISK_FULL,
  '55P03': LOCKED,
  '57014': LOCKED,
  '53300': {
    says: 'o servidor não aceita mais conexões',
    todo: 'Aumente max_connections, ou ponha um PgBouncer antes dele.',
  },
}
/** Errors known only by their message. */
const BY_MESSAGE: [RegExp, Cause][] = [
  // Of the pool: all connections are busy, or a statement has not ended.
  [
    /timeout exceeded when trying to connect|Query read timeout/,
    {
      says: 'a resposta demorou demais',
      todo: 'Rode de novo daqui a pouco; se continuar, o banco de dados ou esta máquina está sobrecarregada.',
    },
  ],
  [/self-signed|self signed|unable to (verify|get)/i, UNTRUSTED],
  [/certificate has expired/i, BY_CODE.CERT_HAS_EXPIRED as Cause],
  [/wrong version number/i, BY_CODE.ERR_SSL_WRONG_VERSION_NUMBER as Cause],
  [
    /does not support SSL/i,
    { says: 'o servidor não fala TLS', todo: 'Ligue TLS (ssl = on) no servidor, ou tire sslmode.' },
  ],
  [/time-?d? ?out|Greeting never received/i, UNREACHABLE],
]

/** Explains a connection error in Portuguese, from its causes and aggregated errors. */
export function explainError(error: unknown): Cause {
  const chain = listErrorChain(error)
  const first = chain.find(({ code }) => code) ?? chain[0]
  return (
    findCause(error) ?? {
      says: `falhou (${first?.code ?? first?.name ?? 'sem código'})`,
      todo: 'O log do portal tem a causa inteira.',
    }
  )
}

/** @returns undefined for an error that is not known */
export function findCause(error: unknown): Cause | undefined {
  const chain = listErrorChain(error)
  for (const { code } of chain) if (code && BY_CODE[code] && code !== 'ETIMEDOUT') return BY_CODE[code]
  for (const { message } of chain) {
    // Some libraries have the system's code only in the message.
    const code = /\bE[A-Z]{4,}\b/.exec(message)?.[0]
    if (code && BY_CODE[code]) return BY_CODE[code]
    const known = BY_MESSAGE.find(([words]) => words.test(message))
    if (known) return known[1]
  }
  return chain.some(({ code }) => code === 'ETIMEDOUT') ? UNREACHABLE : undefined
}

function listErrorChain(error: unknown): { code: string | undefined; message: string; name: string }[] {
  if (!(error instanceof Error)) return []
  const { code } = error as NodeJS.ErrnoException
  const gathered = error instanceof AggregateError ? error.errors.flatMap(listErrorChain) : []
  return [
    { code: code === undefined ? undefined : String(code), message: error.message, name: error.name },
    ...listErrorChain(error.cause),
    ...gathered,
  ]
}
