import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * @param {string} path
 * @returns {boolean} whether it is a file that may be run
 */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * @param {string} [path] a PATH variable
 * @returns {string[]} its folders, in order
 */
export const pathFolders = (path = process.env.PATH ?? '') => path.split(delimiter).filter(Boolean)

/**
 * @param {string} name
 * @param {string} [path] a PATH variable
 * @returns {string | undefined} the first such program
 */
export const findOnPath = (name, path) =>
  pathFolders(path)
    .map((folder) => join(folder, name))
    .find(isExecutable)
