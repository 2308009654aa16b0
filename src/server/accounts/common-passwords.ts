/** Favourites of Brazilian password lists that the library's international one lacks. */
const BRAZILIAN = [
  'senha',
  'senhas',
  'minhasenha',
  'mudar',
  'mudeasenha',
  'trocar',
  'trocarsenha',
  'bemvindo',
  'bomdia',
  'teste',
  'brasil',
  'flamengo',
  'corinthians',
  'palmeiras',
  'saopaulo',
  'vasco',
  'cruzeiro',
  'gremio',
  'administrador',
  'concessionaria',
  'jesuscristo',
  'deusefiel',
]

let loaded: Promise<ReadonlySet<string>> | undefined

/** The offline list of common and leaked passwords, in lower case; loaded when it is first asked for. */
export function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= readList()
  return loaded
}

async function readList(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set([...dictionary['passwords-common'], ...BRAZILIAN])
}
