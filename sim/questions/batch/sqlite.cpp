#include "sim/questions/batch/sqlite.h"

#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

#include "model/common/error.h"

namespace fcsim::questions::batch {
namespace {

constexpr int kPatience_ms = 10'000;  // readers and a writer meet only for moments

[[noreturn]] void fail(sqlite3* database, const std::string& name, int code) {
  if ((code & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  if ((code & 0xff) == SQLITE_NOTADB)
    throw model::InputError({name, 0, 0}, "is not an SQLite database; it was left as it is");
  std::string message = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  // SQLite keeps what the system said for opening alone.
  if (code == SQLITE_IOERR_WRITE)
    message += " in a write: a failing disk, or a limit to the size of files";
  // What the system said, where the fault is the file's and not the statement's.
  const int system = database != nullptr ? sqlite3_system_errno(database) : 0;
  const int kind = code & 0xff;
  if (system != 0 && (kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN || kind == SQLITE_FULL ||
                      kind == SQLITE_READONLY))
    message += std::string(" (") + std::strerror(system) + ")";
  throw model::InputError({name, 0, 0}, message);
}

}  // namespace

// ---- statements ------------------------------------------------------------------------------

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(sqlite3* database, std::string name, std::string_view sql)
    : database_(database), name_(std::move(name)) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(database_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) fail(database_, name_, code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), parameter + 1, value);
  if (code != SQLITE_OK) fail(database_, name_, code);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
  const int code = sqlite3_bind_text64(statement_.get(), parameter + 1, value.data(), value.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) fail(database_, name_, code);
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  const int code = sqlite3_bind_null(statement_.get(), parameter + 1);
  if (code != SQLITE_OK) fail(database_, name_, code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    const int extended = sqlite3_extended_errcode(database_);
    fail(database_, name_, extended);
  }
  reset();
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const unsigned char* const text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
}

std::optional<std::string> Statement::optional_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return text(column);
}

// ---- connections -----------------------------------------------------------------------------

void Connection::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Connection::Connection(std::string path, Access access) : path_(std::move(path)) {
  std::error_code error;
  if (std::filesystem::is_directory(path_, error))
    throw model::InputError({path_, 0, 0}, "is a folder; expected a database");
  // ":memory:" and "file:..." are files here.
  const std::string name = std::filesystem::path(path_).is_absolute() ? path_ : "./" + path_;
  const int flags =
      access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) fail(database, path_, code);
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, kPatience_ms);
  if (access == Access::write && sqlite3_db_readonly(database, "main") == 1)
    throw model::InputError({path_, 0, 0}, "cannot be written: it is read-only");
}

void Connection::execute(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(database_.get(), path_, code);
}

Statement Connection::prepare(std::string_view sql) {
  return {database_.get(), path_, sql};
}

std::int64_t Connection::query_integer(std::string_view sql) {
  Statement statement = prepare(sql);
  const std::int64_t value = statement.step() ? statement.integer(0) : 0;
  statement.reset();
  return value;
}

std::int64_t Connection::last_row_id() const {
  return sqlite3_last_insert_rowid(database_.get());
}

// ---- transactions ----------------------------------------------------------------------------

Transaction::Transaction(Connection& connection, Access access) : connection_(&connection) {
  connection.execute(access == Access::read ? "BEGIN" : "BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (connection_ == nullptr) return;
  try {
    connection_->execute("ROLLBACK");
  } catch (const std::exception&) {  // SQLite has undone it already, as it does on a full disk
    connection_ = nullptr;
  }
}

void Transaction::commit() {
  connection_->execute("COMMIT");
  connection_ = nullptr;
}

}  // namespace fcsim::questions::batch
