import { listAuthorityFiles } from '#server/authorities.ts'
import { DatabaseOpenError, isDatabaseUnavailable } from '#server/database/database.ts'
import { formatLocation, readPlace } from '#server/database/server-urls.ts'

export interface Cause {
  /** Follows a colon. */
  says: string
  todo: string
}

const UNTRUSTED: Cause = {
  says: 'o certificado não é de uma autoridade conhecida (autoassinado, ou falta a cadeia)',
  get todo() {
    const files = listAuthorityFiles(process.env).map(({ file, from }) => `${file} (${from})`)
    return files.length === 0
      ? 'Instale a cadeia completa no serviço, ou aponte NODE_EXTRA_CA_CERTS para o certificado da autoridade.'
      : `Instale a cadeia completa no serviço, ou acrescente o certificado da autoridade a ${files.join(' ou a ')}, de NODE_EXTRA_CA_CERTS.`
  },
}
const UNREACHABLE: Cause = {
  says: 'não há resposta desse endereço',
  todo: 'Confira o endereço, a porta e o firewall entre o portal e o serviço.',
}
const DISK_FULL: Cause = {
  says: 'o disco está cheio',
  todo: 'Libere espaço, ou use outro disco.',
}
const WRONG_LOGIN: Cause = {
  says: 'usuário ou senha recusados',
  todo: 'Confira o usuário e a senha na configuração.',
}

/** Codes of the system, of TLS and of the mail library. */
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
}
type Refusal = [code: string, words: RegExp, says: string, todo: string]

const ANY = /(?:)/
const UNLOCK = 'Encerre a que segura: select pid, pg_blocking_pids(pid), query from pg_stat_activity.'
const WAIT = 'Espere um minuto e tente de novo; se durar, o log do PostgreSQL diz por quê.'
const NO_DATABASE = "CREATE DATABASE {database} OWNER {user} ENCODING 'UTF8' TEMPLATE template0"
const STARTS = 'o servidor está iniciando, parando ou se recuperando'
const TOO_SLOW = 'a resposta demorou demais, talvez porque outra sessão segura uma tabela'

/**
 * What PostgreSQL refuses, by SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html) and words,
 * which it may also say in Portuguese; with the command that mends it. The first that fits counts.
 */
// biome-ignore format: one row each
const REFUSALS: Refusal[] = [
  ['28P01', ANY, 'usuário ou senha recusados', "Confira DATABASE_URL (na senha, @ é %40 e / é %2F), ou: ALTER ROLE {user} PASSWORD '…' VALID UNTIL 'infinity'"],
  ['28000', /no encryption|SSL off|sem criptografia|SSL desabilitado/, 'o pg_hba.conf do servidor não aceita esta conexão sem TLS', 'Acrescente ?sslmode=verify-full&sslrootcert=… a DATABASE_URL.'],
  ['28000', /pg_hba/, 'o pg_hba.conf do servidor não aceita este usuário, deste endereço, nesse banco', 'Acrescente a ele “hostssl {database} {user} ENDEREÇO/32 scram-sha-256” e rode: SELECT pg_reload_conf()'],
  ['28000', /not permitted to log in|não (tem permissão|está autorizado)/, 'o usuário do banco não pode entrar', 'Rode no servidor: ALTER ROLE {user} LOGIN'],
  ['28000', ANY, 'o usuário do banco não existe, ou o servidor não o aceita assim', "Rode no servidor: CREATE ROLE {user} LOGIN PASSWORD '…'"],
  ['3D000', ANY, 'o banco de dados não existe', `Confira o nome no fim de DATABASE_URL, ou: ${NO_DATABASE}`],
  ['42501', /owner of|dono d|(for|para) (table|tabela|sequence|sequência|function|função)/, 'as tabelas são de outro usuário do banco', 'Use o dono delas em DATABASE_URL, ou rode nesse banco: REASSIGN OWNED BY {owner} TO {user}'],
  ['42501', /database|banco de dados/, 'o usuário do banco não pode se conectar a esse banco', 'Rode no servidor: GRANT CONNECT ON DATABASE {database} TO {user}'],
  ['42501', /schema|esquema/, 'o usuário do banco não pode criar tabelas no esquema, como é o padrão desde o PostgreSQL 15', 'Rode nesse banco, como dono dele: GRANT CREATE ON SCHEMA {schema} TO {user}'],
  ['42501', ANY, 'o usuário do banco não tem esse direito', 'Faça-o dono do banco de dados: ALTER DATABASE {database} OWNER TO {user}'],
  ['3F000', ANY, 'o usuário do banco não pode usar nenhum esquema do search_path, ou não há nenhum', 'Rode nesse banco: CREATE SCHEMA IF NOT EXISTS public; GRANT USAGE, CREATE ON SCHEMA public TO {user}'],
  ['42P01', ANY, 'o banco ainda não tem tabelas', 'Inicie o portal: ele as cria.'],
  ['42704', /und-x-icu/, 'o servidor não tem a ordenação und-x-icu, do ICU', "Rode nesse banco, como administrador: SELECT pg_import_system_collations('pg_catalog'). Se ela continuar faltando, use um PostgreSQL compilado com ICU."],
  ['OLD_SERVER', ANY, 'o PostgreSQL é antigo demais', 'Atualize para o PostgreSQL 15 ou mais novo.'],
  ['WRONG_ENCODING', ANY, 'a codificação do banco não é UTF8', `Crie-o de novo: ${NO_DATABASE}`],
  ['25006', ANY, 'o servidor só aceita leitura', 'Aponte DATABASE_URL para o primário, ou promova este servidor: SELECT pg_promote(). Se ele já é o primário: ALTER DATABASE {database} RESET default_transaction_read_only'],
  ['53300', /(for|para) (a )?role "/, 'o usuário do banco já tem todas as conexões que pode ter', 'Rode no servidor: ALTER ROLE {user} CONNECTION LIMIT -1'],
  ['53300', /(for|para) (o )?(database|banco de dados) "/, 'o banco de dados já tem todas as conexões que pode ter', 'Rode no servidor: ALTER DATABASE {database} CONNECTION LIMIT -1'],
  ['53300', ANY, 'o servidor não aceita mais conexões', 'Reinicie-o depois de: ALTER SYSTEM SET max_connections = 100. Ou ponha um PgBouncer antes dele.'],
  ['55000', /accepting connections|aceitando conexões/, 'o banco de dados está fechado para conexões', 'Rode no servidor: ALTER DATABASE {database} ALLOW_CONNECTIONS true'],
  ['57P01', ANY, STARTS, WAIT],
  ['57P02', ANY, STARTS, WAIT],
  ['57P03', ANY, STARTS, WAIT],
  ['53100', ANY, DISK_FULL.says, DISK_FULL.todo],
  ['53200', ANY, 'o servidor está sem memória', 'Dê-lhe mais memória; o log do PostgreSQL diz qual faltou.'],
  ['57014', /statement timeout|tempo de espera/, TOO_SLOW, `${UNLOCK} Se o limite é do usuário: ALTER ROLE {user} RESET statement_timeout`],
  ['57014', ANY, TOO_SLOW, UNLOCK],
  ['55P03', ANY, TOO_SLOW, UNLOCK],
]

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
  [
    /client password must be a/,
    { says: 'o servidor pede uma senha', todo: 'Acrescente-a a DATABASE_URL: postgres://usuário:senha@…' },
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

/**
 * Explains a connection error in Portuguese, from its causes and aggregated errors.
 * @param url of the database, whose names the commands need
 */
export function explainError(error: unknown, url?: string): Cause {
  const chain = listErrorChain(error)
  const first = chain.find(({ code }) => code) ?? chain[0]
  return (
    findCause(error, url) ?? {
      says: `falhou (${first?.code ?? first?.name ?? 'sem código'})`,
      todo: 'O log do portal tem a causa inteira.',
    }
  )
}

/** @returns undefined for an error that is not known */
export function findCause(error: unknown, url?: string): Cause | undefined {
  const chain = listErrorChain(error)
  for (const { code, message } of chain) {
    if (code && BY_CODE[code] && code !== 'ETIMEDOUT') return BY_CODE[code]
    const refusal = REFUSALS.find(([known, words]) => known === code && words.test(message))
    if (!refusal) continue
    const [, , says, todo] = refusal
    const names = readPlace(url, message)
    return { says, todo: todo.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '…') }
  }
  for (const { message } of chain) {
    // Some libraries have the system's code only in the message.
    const code = /\bE[A-Z]{4,}\b/.exec(message)?.[0]
    if (code && BY_CODE[code]) return BY_CODE[code]
    const known = BY_MESSAGE.find(([words]) => words.test(message))
    if (known) return known[1]
  }
  return chain.some(({ code }) => code === 'ETIMEDOUT') ? UNREACHABLE : undefined
}

/** Explains in one line why the database refuses; undefined for errors that are not its operator's. */
export function explainDatabaseFailure(error: unknown, url: string | undefined): string | undefined {
  const isOpening = error instanceof DatabaseOpenError
  const code = listErrorChain(error).find((each) => each.code)?.code
  const isRefusal = REFUSALS.some(([known]) => known === code)
  const cause = isOpening || isRefusal || isDatabaseUnavailable(error) ? findCause(error, url) : undefined
  if (!cause || (isOpening && !url)) return isOpening ? error.message : undefined
  const place = url ? `${isOpening ? ' inacessível' : ''} em ${formatLocation(url)}` : ''
  return `Banco de dados${place}: ${cause.says}${code ? ` (${code})` : ''}. ${cause.todo}`
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
