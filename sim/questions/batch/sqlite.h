// SQLite's C interface with owners and exceptions. Every failure is an InputError that names the
// database.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace fcsim::questions::batch {

class Statement {
 public:
  // Parameters and columns count from 0.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view value);
  Statement& bind_null(int parameter);

  // The next row; false when there is none left, after which the statement can be used anew.
  bool step();
  // All steps of a statement that has no rows.
  void run();
  void reset();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::optional<std::string> optional_text(int column) const;

 private:
  friend class Connection;
  Statement(sqlite3* database, std::string name, std::string_view sql);
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* database_;
  std::string name_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

enum class Access : std::uint8_t { read, write };  // `write` makes a missing file

class Connection {
 public:
  Connection(std::string path, Access access);

  [[nodiscard]] const std::string& path() const { return path_; }
  void execute(const std::string& sql);
  [[nodiscard]] Statement prepare(std::string_view sql);
  [[nodiscard]] std::int64_t query_integer(std::string_view sql);
  [[nodiscard]] std::int64_t last_row_id() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

// Undone unless committed. Writers begin at once, so that nothing can come between a look and a
// change.
class Transaction {
 public:
  Transaction(Connection& connection, Access access);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection* connection_;
};

}  // namespace fcsim::questions::batch
